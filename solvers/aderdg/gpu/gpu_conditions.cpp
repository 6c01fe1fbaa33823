// SPDX-License-Identifier: BSD-3-Clause
#ifdef KANAME_HAVE_CUDA
#include "solvers/aderdg/gpu/gpu_conditions.hpp"

#include <algorithm>

#include "solvers/aderdg/bernstein.hpp"

namespace kaname::aderdg {

GpuConditionSet::GpuConditionSet(const EngineSetup& setup, device::Queue& queue)
    : tables_(setup.params.order - 1,
              static_cast<int>(setup.model.solids.front().mechanisms.size())),
      first_(device::copied(setup.layout.first_condition, queue)),
      faces_(device::copied(setup.layout.conditions, queue)) {
    const KeptTrace& kept = tables_.kept;
    std::vector<std::uint8_t> modes;
    for (int f = 0; f < 4; ++f) {
        for (int i = 0; i < kept.powers(); ++i) {
            modes.insert(modes.end(), kept.modes(i, f).begin(), kept.modes(i, f).end());
        }
    }
    modes_ = device::copied(modes, queue);
    const std::size_t sides = setup.layout.conditions.size() * setup.lanes;
    traces_ = device::Buffer<double>(sides * static_cast<std::size_t>(kept.size()), queue);
    kernels_ = {first_.data(),  faces_.data(), modes_.data(),
                kept.numbers(), kept.padded(), traces_.data()};
}

GpuSurface::GpuSurface(const EngineSetup& setup, const GpuConditionSet& conditions,
                       device::Queue& queue)
    : queue_(queue), pass_(setup, conditions.tables()) {
    const Layout& layout = setup.layout;
    const KeptTrace& kept = conditions.tables().kept;
    std::vector<GpuGravityFace> faces;
    for (const GravityPass::Face& from : pass_.faces()) {
        const Layout::Condition& c = layout.conditions[from.condition];
        GpuGravityFace& face = faces.emplace_back();
        face.terms = from.terms;
        face.condition = from.condition;
        face.own = layout.own_record(c.block, c.face, c.element);
        face.beyond = c.record;
        std::ranges::copy(from.weights.end, face.end);
        std::ranges::copy(from.weights.mean, face.mean);
    }
    for (int c = 0; c < layout.n_clusters; ++c) {
        until_.push_back(
            std::ranges::upper_bound(pass_.faces(), c, {}, &GravityPass::Face::cluster) -
            pass_.faces().begin());
    }
    faces_ = device::copied(faces, queue);
    responses_ = device::copied(pass_.responses(), queue);
    heights_ = device::Buffer<double>(pass_.heights().size(), queue);
    kernels_.lanes = setup.lanes;
    kernels_.modes = face_modes(setup.params.order - 1);
    kernels_.powers = kept.powers();
    kernels_.kept_padded = kept.padded();
    for (int i = 0; i <= kept.powers(); ++i) {
        kernels_.first_of_power[i] = kept.first(i);
    }
    kernels_.faces = faces_.data();
    kernels_.responses = responses_.data();
    kernels_.traces = conditions.of_kernels().kept;
    kernels_.heights = heights_.data();
}

std::vector<double> GpuSurface::heights(std::vector<std::int64_t>& numbers) {
    for (const GravityPass::Face& face : pass_.faces()) {
        numbers.push_back(face.number);
    }
    device::download<double>(heights_, pass_.heights(), queue_);
    return {pass_.heights().begin(), pass_.heights().end()};
}

void GpuSurface::set_heights(std::span<const double> all) {
    pass_.set_heights(all);
    device::upload<double>(pass_.heights(), heights_, queue_);
}

}  // namespace kaname::aderdg
#endif
