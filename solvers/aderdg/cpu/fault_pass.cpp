// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/cpu/fault_pass.hpp"

#include "solvers/aderdg/bernstein.hpp"
#include "solvers/parallel/pack_math.hpp"

namespace kaname::aderdg {
FaultPass::FaultPass(const EngineSetup& setup, const FaceTables& tables)
    : tables_(tables),
      modes_(face_modes(setup.params.order - 1)),
      sides_(fault_sides(setup.model, setup.layout)),
      friction_(setup.model.fault, tables.rule,
                fault_shapes(setup.model, setup.topology, setup.layout, sides_)),
      record_(setup.model.fault, tables.rule, friction_.faces()) {
    for (std::size_t k = 0; k < sides_.size(); ++k) {
        terms_.push_back(FaultFaceTerms::of(setup.model, setup.topology,
                                            setup.layout.conditions[sides_[k].minus]));
    }
    record_.resume(0, 0.0, [&](std::int64_t face) { return kept(face); });
}

/// Values of the modes at the points, `per` packs of them at a time, [powers][3][padded].
template <int per>
void FaultPass::evaluate(const double* locked_modes, int first_point, double* values) const {
    const KeptTrace& kept = tables_.kept;
    const int padded = tables_.rule.padded(), stride = kept.padded();
    for (int i = 0; i < kept.powers(); ++i) {
        Pack<double> sum[3][per] = {};
        for (int j = kept.first(i); j < kept.first(i + 1); ++j) {
            const double* row =
                tables_.values.data() + static_cast<std::size_t>(j) * padded + first_point;
            for (int r = 0; r < per; ++r) {
                const Pack<double> value = load_pack(row + r * kPack<double>);
                for (int c = 0; c < 3; ++c) {
                    sum[c][r] += locked_modes[c * stride + j] * value;
                }
            }
        }
        for (int c = 0; c < 3; ++c) {
            for (int r = 0; r < per; ++r) {
                store_pack(values + (i * 3 + c) * padded + first_point + r * kPack<double>,
                           sum[c][r]);
            }
        }
    }
}

bool FaultPass::step(std::int64_t k, double t_s, double dt_s, const double* minus,
                     const double* plus, double* rate) {
    const KeptTrace& kept = tables_.kept;
    const int padded = tables_.rule.padded(), times = tables_.rule.n_times();
    constexpr int kWide = kPack<double>;
    thread_local AlignedVector<double> locked_modes, values, locked, mean;
    locked_modes.resize(3 * kept.padded());
    values.resize(static_cast<std::size_t>(kept.powers()) * 3 * padded);
    locked.resize(static_cast<std::size_t>(times) * 3 * padded);
    mean.resize(2 * padded);
    for (int j = 0; j < kept.padded(); j += kWide) {
        terms_[k].lock<Pack<double>>(minus, plus, kept.padded(), j, locked_modes.data());
    }
    int p = 0;
    for (; p + 2 * kWide <= padded; p += 2 * kWide) {
        evaluate<2>(locked_modes.data(), p, values.data());
    }
    for (; p < padded; p += kWide) {
        evaluate<1>(locked_modes.data(), p, values.data());
    }
    for (int q = 0; q < 3 * padded; q += kWide) {
        for (int l = 0; l < times; ++l) {
            Pack<double> sum{};
            for (int i = 0; i < kept.powers(); ++i) {
                sum += tables_.time_factors[l * kept.powers() + i] *
                       load_pack(values.data() + static_cast<std::size_t>(i) * 3 * padded + q);
            }
            store_pack(locked.data() + static_cast<std::size_t>(l) * 3 * padded + q, sum);
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
    for (p = 0; p < tables_.rule.n_points(); ++p) {
        const double* of = tables_.projection.data() + static_cast<std::size_t>(p) * modes_;
        for (int m = 0; m < modes_; ++m) {
            along[0][m] += mean[p] * of[m];
            along[1][m] += mean[padded + p] * of[m];
        }
    }
    for (int d = 0; d < 3; ++d) {
        for (int m = 0; m < modes_; ++m) {
            rate[d * modes_ + m] = terms_[k].turn(d, along[0][m], along[1][m]);
        }
    }
    return true;
}

}  // namespace kaname::aderdg
