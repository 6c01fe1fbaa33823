// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/cpu/fault_pass.hpp"

#include <algorithm>
#include <map>

#include "solvers/aderdg/bernstein.hpp"

namespace kaname::aderdg {
namespace {

std::vector<FaultPass::Sides> sides_of(const Layout& layout) {
    std::map<std::pair<int, std::int32_t>, FaultPass::Sides> sides;  // by cluster and face
    for (std::size_t k = 0; k < layout.conditions.size(); ++k) {
        const Layout::Condition& c = layout.conditions[k];
        if (c.fault_face >= 0) {
            const int cluster = layout.cluster_of(c.block);
            FaultPass::Sides& of = sides[{cluster, c.fault_face}];
            (c.on_plus_side ? of.plus : of.minus) = static_cast<std::int32_t>(k);
            of.cluster = cluster;
        }
    }
    std::vector<FaultPass::Sides> all;
    for (const auto& [key, of] : sides) {
        all.push_back(of);
    }
    return all;
}

std::vector<rupture::FaultFaceShape> shapes_of(const EngineSetup& setup,
                                               std::span<const FaultPass::Sides> sides) {
    std::vector<rupture::FaultFaceShape> shapes;
    for (const FaultPass::Sides& s : sides) {
        shapes.push_back(
            fault_shape(setup.model, setup.topology, setup.layout.conditions[s.minus]));
    }
    return shapes;
}

}  // namespace

FaultPass::FaultPass(const EngineSetup& setup, const FaceTables& tables)
    : tables_(tables),
      modes_(face_modes(setup.params.order - 1)),
      sides_(sides_of(setup.layout)),
      friction_(setup.model.fault, tables.rule, shapes_of(setup, sides_)),
      record_(setup.model.fault, tables.rule, friction_.faces()) {
    for (std::size_t k = 0; k < sides_.size(); ++k) {
        terms_.push_back(FaultFaceTerms::of(setup.model, setup.topology,
                                            setup.layout.conditions[sides_[k].minus]));
    }
    record_.resume(0, 0.0, [&](std::int64_t face) { return kept(face); });
}

bool FaultPass::step(std::int64_t k, double t_s, double dt_s, const double* minus,
                     const double* plus, double* rate) {
    const KeptTrace& kept = tables_.kept;
    const int n = kept.numbers(), padded = tables_.rule.padded(), times = tables_.rule.n_times();
    thread_local AlignedVector<double> locked_modes, values, locked, mean;
    locked_modes.resize(3 * n);
    values.resize(static_cast<std::size_t>(kept.powers()) * 3 * padded);
    locked.resize(static_cast<std::size_t>(times) * 3 * padded);
    mean.resize(2 * padded);
    terms_[k].lock(minus, plus, n, locked_modes.data());
    for (int i = 0; i < kept.powers(); ++i) {
        for (int c = 0; c < 3; ++c) {
            double* to = values.data() + (i * 3 + c) * padded;
            std::fill_n(to, padded, 0.0);
            for (int j = kept.first(i); j < kept.first(i + 1); ++j) {
                const double mode = locked_modes[c * n + j];
                const double* of = tables_.values.data() + static_cast<std::size_t>(j) * padded;
                for (int p = 0; p < padded; ++p) {
                    to[p] += mode * of[p];
                }
            }
        }
    }
    for (int l = 0; l < times; ++l) {
        double* to = locked.data() + static_cast<std::size_t>(l) * 3 * padded;
        std::fill_n(to, 3 * padded, 0.0);
        for (int i = 0; i < kept.powers(); ++i) {
            const double factor = tables_.time_factors[l * kept.powers() + i];
            const double* of = values.data() + static_cast<std::size_t>(i) * 3 * padded;
            for (int p = 0; p < 3 * padded; ++p) {
                to[p] += factor * of[p];
            }
        }
    }
    const bool slips = friction_.step(k, t_s, dt_s, locked.data(), mean.data());
    if (record_.has(k)) {
        record_.add(k, t_s + dt_s, friction_.kept(k).data());
    }
    if (!slips) {
        return false;
    }
    double along[2][face_modes(kMostOrder - 1)] = {};
    for (int p = 0; p < tables_.rule.n_points(); ++p) {
        const double* of = tables_.projection.data() + static_cast<std::size_t>(p) * modes_;
        for (int m = 0; m < modes_; ++m) {
            along[0][m] += mean[p] * of[m];
            along[1][m] += mean[padded + p] * of[m];
        }
    }
    terms_[k].turn(along[0], along[1], modes_, rate);
    return true;
}

}  // namespace kaname::aderdg
