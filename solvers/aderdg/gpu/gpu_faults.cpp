// SPDX-License-Identifier: BSD-3-Clause
#ifdef KANAME_HAVE_CUDA
#include "solvers/aderdg/gpu/gpu_faults.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/aderdg/bernstein.hpp"
#include "solvers/rupture/point_start.hpp"

namespace kaname::aderdg {
namespace {

/// The first receiver of each cluster's faces, [clusters + 1].
std::vector<std::int64_t> first_receivers(const Layout& layout, std::span<const FaultSides> sides,
                                          const FaultRecord& record) {
    std::vector<std::int64_t> first;
    for (int c = 0; c <= layout.n_clusters; ++c) {
        const auto face = std::ranges::lower_bound(sides, c, {}, &FaultSides::cluster);
        first.push_back(record.first()[face - sides.begin()]);
    }
    return first;
}

}  // namespace

GpuFaultSet::GpuFaultSet(const EngineSetup& setup, const FaceTables& tables, const double* traces,
                         const GpuWindow& window, device::Queue& queue)
    : setup_(setup),
      window_(window),
      queue_(queue),
      tables_(tables),
      sides_(fault_sides(setup.model, setup.layout)),
      faces_(fault_shapes(setup.model, setup.topology, setup.layout, sides_)),
      record_(setup.model.fault, tables_.rule, faces_),
      slots_(first_receivers(setup.layout, sides_, record_)) {
    kernels_.traces = traces;
    kernels_.macro = window_.macro();
    kernels_.ticks = std::int64_t{1} << (setup.layout.n_clusters - 1);
    kernels_.tick_s = setup.step_s;
    kernels_.nucleation_s = setup.model.fault.nucleation_s;
    upload_tables();
    upload_points();
    upload_faces();
    upload_batches();
}

std::int64_t GpuFaultSet::bytes_per_macro(const EngineSetup& setup) {
    const std::int64_t numbers = std::ssize(setup.model.fault.receivers) * kFaultNumbers;
    return (numbers << (setup.layout.n_clusters - 1)) * static_cast<std::int64_t>(sizeof(double));
}

void GpuFaultSet::upload_tables() {
    const KeptTrace& kept = tables_.kept;
    values_ = device::copied(tables_.values, queue_);
    time_factors_ = device::copied(tables_.time_factors, queue_);
    projection_ = device::copied(tables_.projection, queue_);
    kernels_.modes = face_modes(setup_.params.order - 1);
    kernels_.points = tables_.rule.n_points();
    kernels_.padded = tables_.rule.padded();
    kernels_.times = tables_.rule.n_times();
    kernels_.powers = kept.powers();
    kernels_.kept_padded = kept.padded();
    for (int i = 0; i <= kept.powers(); ++i) {
        kernels_.first_of_power[i] = kept.first(i);
    }
    kernels_.values = values_.data();
    kernels_.time_factors = time_factors_.data();
    kernels_.projection = projection_.data();
}

void GpuFaultSet::upload_points() {
    const rupture::FaultFaces start(setup_.model.fault, tables_.rule, faces_);
    given_ = device::copied(start.given(), queue_);
    host_.assign(start.kept().begin(), start.kept().end());
    kept_ = device::copied(host_, queue_);
    kernels_.given = given_.data();
    kernels_.kept = kept_.data();
    record_.resume(0, 0.0, [&](std::int64_t face) { return kept(face); });
    std::vector<std::int32_t> receiver_points;
    for (std::int32_t r = 0; r < record_.first().back(); ++r) {
        receiver_points.push_back(record_.point(r));
    }
    receiver_points_ = device::copied(receiver_points, queue_);
    seen_ = device::Buffer<double>(window_.length() * slots_.per_macro * kFaultNumbers, queue_);
    kernels_.receiver_points = receiver_points_.data();
    kernels_.seen = seen_.data();
    kernels_.receivers_per_macro = slots_.per_macro;
    std::ranges::copy(FaultRecord::kFields, kernels_.fields);
}

void GpuFaultSet::upload_faces() {
    const Layout& layout = setup_.layout;
    std::vector<GpuFaultFace> faces;
    for (std::size_t k = 0; k < sides_.size(); ++k) {
        const FaultSides& sides = sides_[k];
        const Layout::Condition& minus = layout.conditions[sides.minus];
        const Layout::Condition& plus = layout.conditions[sides.plus];
        faces.push_back({FaultFaceTerms::of(setup_.model, setup_.topology, minus),
                         faces_[k].shear_impedance, sides.minus, sides.plus,
                         layout.own_record(minus.block, minus.face, minus.element),
                         layout.own_record(plus.block, plus.face, plus.element), minus.record,
                         plus.record, record_.first()[k], record_.first()[k + 1]});
    }
    gpu_faces_ = device::copied(faces, queue_);
    kernels_.faces = gpu_faces_.data();
}

void GpuFaultSet::upload_batches() {
    const int n_clusters = setup_.layout.n_clusters, most = faces_per_batch(kernels_.padded);
    std::vector<GpuFaultCluster> clusters;
    for (int c = 0; c < n_clusters; ++c) {
        const double step_s = std::ldexp(setup_.step_s, c);
        clusters.push_back({rupture::friction_step(tables_.rule, setup_.model.fault, 0.0, step_s),
                            step_s, slots_.of(c, 0), slots_.size[c]});
    }
    clusters_ = device::copied(clusters, queue_);
    kernels_.clusters = clusters_.data();

    std::map<rupture::FrictionLaw, std::vector<GpuFaultBatch>> all;
    for (std::size_t k = 0; k < sides_.size(); ++k) {
        std::vector<GpuFaultBatch>& of_law = all[setup_.model.fault.laws[faces_[k].fault]];
        if (of_law.empty() || of_law.back().cluster != sides_[k].cluster ||
            of_law.back().n == most) {
            of_law.push_back({static_cast<std::int32_t>(k), 0, sides_[k].cluster});
        }
        ++of_law.back().n;
    }
    for (const auto& [law, batches] : all) {
        Batches& of_law = batches_[law];
        of_law.on_gpu = device::copied(batches, queue_);
        for (int c = 0; c < n_clusters; ++c) {
            of_law.until.push_back(
                std::ranges::upper_bound(batches, c, {}, &GpuFaultBatch::cluster) -
                batches.begin());
        }
    }
}

void GpuFaultSet::bring() {
    const std::size_t from = brought_ * slots_.per_macro * kFaultNumbers;
    std::vector<double> seen(window_.done() * slots_.per_macro * kFaultNumbers - from);
    if (!seen.empty()) {
        device::copy_to_host(seen.data(), seen_.data() + from, seen.size() * sizeof(double),
                             queue_);
        slots_.for_each(window_.done(), [&](std::int64_t r, int c, std::int64_t macro,
                                            std::int64_t j, std::int64_t slot) {
            if (macro >= brought_) {
                const std::int64_t tick = (window_.first() + macro) * kernels_.ticks + (j << c);
                FaultRecord::Values now{};
                std::copy_n(seen.begin() + slot * kFaultNumbers - from, kFaultNumbers, now.begin());
                record_.add_to(
                    r, setup_.step_s * static_cast<double>(tick) + std::ldexp(setup_.step_s, c),
                    now);
            }
        });
    }
    brought_ = window_.done();
}

std::span<double> GpuFaultSet::points() {
    if (host_.empty()) {
        host_.resize(kept_.size());
        device::download<double>(kept_, host_, queue_);
    }
    return host_;
}

std::vector<double> GpuFaultSet::kept(std::int64_t face) {
    const auto of = points().subspan(face * face_numbers(), face_numbers());
    return {of.begin(), of.end()};
}

void GpuFaultSet::set_kept(std::int64_t face, std::span<const double> values) {
    std::ranges::copy(values, points().subspan(face * face_numbers()).begin());
    changed_ = true;
}

void GpuFaultSet::give_back() {
    if (changed_) {
        device::upload<double>(host_, kept_, queue_);
    }
    changed_ = false;
    host_.clear();
}

}  // namespace kaname::aderdg
#endif
