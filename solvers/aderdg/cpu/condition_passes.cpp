// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/cpu/condition_passes.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/aderdg/bernstein.hpp"
#include "solvers/aderdg/block_points.hpp"
#include "solvers/aderdg/plasticity.hpp"
#include "solvers/parallel/loops.hpp"
#include "solvers/parallel/pack.hpp"

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

namespace {

/// phi(j) = sum_k (-kappa)^k/(j + k)!, so that j! phi(j + 1) is the integral of x^j e^(kappa (x -
/// 1)) over [0, 1].
double phi(double kappa, int j) {
    double term = 1.0 / std::tgamma(j + 1.0), sum = 0.0;
    for (int k = 1; std::abs(term) > 1e-18 * std::abs(sum); ++k) {
        sum += term;
        term *= -kappa / (j + k);
    }
    return sum;
}

}  // namespace

DecayWeights::DecayWeights(double kappa, int powers) : end{std::exp(-kappa)}, mean{phi(kappa, 1)} {
    for (int i = 0; i < powers; ++i) {
        const double factorial = std::tgamma(i + 1.0);
        end.push_back(factorial * phi(kappa, i + 1));
        mean.push_back(factorial * phi(kappa, i + 2));
    }
}

GravityPass::GravityPass(const EngineSetup& setup, const FaceTables& tables)
    : kept_(tables.kept), modes_(face_modes(setup.params.order - 1)), lanes_(setup.lanes) {
    const std::vector<std::int64_t> numbers = numbered_faces(setup.topology, Boundary::Gravity);
    const Layout& layout = setup.layout;
    for (std::size_t k = 0; k < layout.conditions.size(); ++k) {
        const Layout::Condition& c = layout.conditions[k];
        if (c.fault_face >= 0) {
            continue;
        }
        const Solid& solid = setup.model.solids[setup.model.mesh.material[c.tet]];
        const int cluster = layout.cluster_of(c.block);
        const double step_s = std::ldexp(setup.step_s, cluster);
        const double weight = solid.density_kg_m3 * setup.model.gravity_m_s2;
        const double per_impedance = 1.0 / (solid.density_kg_m3 * solid.vp_m_per_s());
        Face& face =
            faces_.emplace_back(numbers[4 * c.tet + c.face], static_cast<std::int32_t>(k), cluster,
                                GravityTerms{{}, weight, per_impedance, step_s},
                                DecayWeights(step_s * weight * per_impedance, kept_.powers()));
        const Vec3 normal =
            TetShape::of(corners_of(setup.model, setup.topology, c.tet)).normal[c.face];
        for (int d = 0; d < 3; ++d) {
            face.terms.normal[d] = normal[d];
        }
    }
    std::ranges::stable_sort(faces_, {}, &Face::cluster);
    heights_.resize(faces_.size() * lanes_ * modes_);
    for (int degree = 0; degree < setup.params.order - 1; ++degree) {
        std::vector<Source> sources;
        for (int b2 = 0; b2 <= degree + 1; ++b2) {
            for (int b1 = 0; b1 <= degree + 1 - b2; ++b1) {
                const FaceIndex high = {degree + 1 - b1 - b2, b1, b2};
                Source source{};
                for (int a = 0; a < 3; ++a) {
                    if (high[a] > 0) {
                        FaceIndex low = high;
                        --low[a];
                        source.place[a] = place_of(low);
                        source.share[a] = static_cast<double>(high[a]) / (degree + 1);
                    }
                }
                sources.push_back(source);
            }
        }
        elevation_.push_back(std::move(sources));
    }
}

void GravityPass::sum(std::span<const double> weights, const double* driving, double* out) const {
    double low[face_modes(kMostOrder - 1)] = {};
    int degree = kept_.degree(kept_.powers() - 1);
    std::fill_n(out, modes_, 0.0);
    for (int i = kept_.powers() - 1; i >= 0; --i) {
        if (kept_.degree(i) > degree) {
            std::copy_n(out, face_modes(degree), low);
            for (int k = 0; k < face_modes(degree + 1); ++k) {
                const Source& from = elevation_[degree][k];
                out[k] = from.share[0] * low[from.place[0]] + from.share[1] * low[from.place[1]] +
                         from.share[2] * low[from.place[2]];
            }
            ++degree;
        }
        const double weight = weights[i + 1] * kept_.factor(i);
        for (int k = 0; k < face_modes(degree); ++k) {
            out[k] += weight * driving[kept_.first(i) + k];
        }
    }
}

std::vector<double> GravityPass::responses() const {
    const std::vector<double> ones(kept_.powers() + 1, 1.0);
    std::vector<double> driving(kept_.numbers()), all(driving.size() * modes_);
    for (std::size_t j = 0; j < driving.size(); ++j) {
        driving[j] = 1.0;
        sum(ones, driving.data(), all.data() + j * modes_);
        driving[j] = 0.0;
    }
    return all;
}

void GravityPass::step(std::int64_t k, int lane, const double* kept, double* mean) {
    const Face& face = faces_[k];
    std::vector<double> driving(kept_.numbers());
    for (int j = 0; j < kept_.numbers(); ++j) {
        driving[j] = kernels::driving(face.terms, kept, kept_.padded(), j);
    }
    double end[face_modes(kMostOrder - 1)];
    sum(face.weights.end, driving.data(), end);
    sum(face.weights.mean, driving.data(), mean);
    double* height = heights_.data() + (k * lanes_ + lane) * modes_;
    for (int m = 0; m < modes_; ++m) {
        mean[m] += face.weights.mean[0] * height[m];
        height[m] = face.weights.end[0] * height[m] + end[m];
    }
}

void GravityPass::set_heights(std::span<const double> all) {
    const std::size_t each = static_cast<std::size_t>(lanes_) * modes_;
    for (std::size_t k = 0; k < faces_.size(); ++k) {
        std::copy_n(all.begin() + faces_[k].number * each, each, heights_.begin() + k * each);
    }
}

namespace {

template <class T>
Pack<T> ones_above_zero(const Pack<T>& a) {
    return {a.v > T(0) ? (T(1) + Pack<T>{}).v : Pack<T>{}.v};
}

template <class T>
bool any_above_zero(const Pack<T>& a) {
    bool any = false;
    for (int k = 0; k < kPack<T>; ++k) {
        any = any || a[k] > T(0);
    }
    return any;
}

template <class T>
std::vector<T> rounded(const std::vector<double>& values) {
    return {values.begin(), values.end()};
}

}  // namespace

template <class T, int N>
YieldPass<T, N>::YieldPass(const EngineSetup& setup)
    : given_(static_cast<std::size_t>(YieldTerms::kSize) * setup.layout.n_blocks()),
      sums_(static_cast<std::size_t>(kPack<T>) * setup.layout.n_blocks()) {
    const Layout& layout = setup.layout;
    parallel_for(
        std::ssize(layout.tets),
        [&](std::int64_t s) {
            if (layout.tets[s] < 0) {
                return;
            }
            const std::vector<double> terms =
                yield_terms(setup.model, setup.topology, layout.tets[s]);
            Pack<T>* to = given_.data() + s / layout.per_block * YieldTerms::kSize;
            for (int k = 0; k < YieldTerms::kSize; ++k) {
                to[k].set(static_cast<int>(s % layout.per_block), static_cast<T>(terms[k]));
            }
        },
        64 * layout.per_block);  // whole blocks
    for (int c = 0; c < layout.n_clusters; ++c) {
        relaxes_.push_back(static_cast<T>(relaxing_part(setup.model, std::ldexp(setup.step_s, c))));
    }
    const YieldTables tables(N);
    const auto copied = [](const SparseRows<double>& from, SparseRows<T>& to) {
        to = {from.first, from.column, rounded<T>(from.value)};
    };
    copied(tables.to_nodes, to_nodes_);
    copied(tables.to_modes, to_modes_);
    vertex_share_ = rounded<T>(tables.vertex_share);
    for (const auto& lambda : tables.nodes) {
        for (const double share : lambda) {
            nodes_.push_back(static_cast<T>(share));
        }
    }
    times_modes_ = rounded<T>(tables.times_modes);
    times_vertices_ = rounded<T>(tables.times_vertices);
    mean_ = rounded<T>(tables.mean);
}

template <class T, int N>
void YieldPass<T, N>::relax(std::int32_t block, int cluster, Pack<T>* q) {
    const Pack<T>* given = given_.data() + static_cast<std::size_t>(block) * YieldTerms::kSize;
    Pack<T> may = above_margin(given, q);
    if (!any_above_zero(may)) {
        return;
    }
    may = may * above_strength(given, q);
    if (!any_above_zero(may)) {
        return;
    }
    static thread_local Scratch own;
    const Pack<T> strain = relax_nodes(given, may, relaxes_[cluster], q, own);
    if (own.yielding.empty()) {
        return;
    }
    take(may, own, q);
    Pack<T> taken, heat;
    add_energies(given, own, taken, heat);
    for (int e = 0; e < kPack<T>; ++e) {
        Sums& to = sums(block, e);
        to[Yielded::kStrain] += strain[e];
        to[Yielded::kTakenJ] += taken[e];
        to[Yielded::kHeatJ] += heat[e];
    }
}

template <class T, int N>
Pack<T> YieldPass<T, N>::above_margin(const Pack<T>* given, const Pack<T>* q) {
    const Pack<T> margin = given[YieldTerms::kMargin];
    const Pack<T> least = given[YieldTerms::kLeastSine], most = given[YieldTerms::kMostSine];
    Pack<T> worst{};
    for (int k = 0; k < kModes; ++k) {
        worst = larger(worst, kernels::excess<T>(q + kQuantities * k, margin, least, most));
    }
    return ones_above_zero(worst);
}

template <class T, int N>
Pack<T> YieldPass<T, N>::above_strength(const Pack<T>* given, const Pack<T>* q) const {
    const Pack<T> least = given[YieldTerms::kLeastSine], most = given[YieldTerms::kMostSine];
    Pack<T> worst{};
    for (int k = 0; k < kModes; ++k) {
        Pack<T> at[kStresses + 1];
        kernels::between_vertices<T, kStresses + 1>(given, 1, vertex_share_.data() + 4 * k, at);
        for (int c = 0; c < kStresses; ++c) {
            at[c] += q[kQuantities * k + c];
        }
        worst = larger(worst, kernels::excess<T>(at, at[YieldTerms::kCohesion], least, most));
    }
    return ones_above_zero(worst);
}

template <class T, int N>
Pack<T> YieldPass<T, N>::relax_nodes(const Pack<T>* given, const Pack<T>& may, T relaxes,
                                     const Pack<T>* q, Scratch& own) const {
    const Pack<T> per_two_mu = given[YieldTerms::kPerTwoMu];
    Pack<T> strain{};
    own.yielding.clear();
    for (int n = 0; n < kModes; ++n) {
        Pack<T> s[YieldTerms::kVertex];
        kernels::between_vertices<T, YieldTerms::kVertex>(given, 1, nodes_.data() + 4 * n, s);
        for (int k = to_nodes_.first[n]; k < to_nodes_.first[n + 1]; ++k) {
            const Pack<T>* from = q + kQuantities * to_nodes_.column[k];
            const T value = to_nodes_.value[k];
            for (int c = 0; c < kStresses; ++c) {
                s[c] += value * from[c];
            }
        }
        const Pack<T> two_mu_strain =
            kernels::relaxed<T>(s, may, relaxes, own.taken.data() + kDeviators * n, 1);
        strain += mean_[n] * (per_two_mu * two_mu_strain);
        if (any_above_zero(two_mu_strain)) {
            own.yielding.push_back(n);
        }
    }
    return strain;
}

template <class T, int N>
void YieldPass<T, N>::take(const Pack<T>& may, Scratch& own, Pack<T>* q) const {
    for (int m = 0; m < kModes; ++m) {
        Pack<T> d[kDeviators] = {};
        for (int k = to_modes_.first[m]; k < to_modes_.first[m + 1]; ++k) {
            const Pack<T>* from = own.taken.data() + kDeviators * to_modes_.column[k];
            const T value = to_modes_.value[k];
            for (int c = 0; c < kDeviators; ++c) {
                d[c] += value * from[c];
            }
        }
        Pack<T>* s = q + kQuantities * m;
        const Pack<T> less[kStresses] = {d[0], d[1], Pack<T>{} - d[0] - d[1], d[2], d[3], d[4]};
        Pack<T> half[kStresses];
        for (int c = 0; c < kStresses; ++c) {
            half[c] = s[c] - T(0.5) * less[c];
            s[c].v = may.v > T(0) ? (s[c] - less[c]).v : s[c].v;  // others keep every bit
        }
        kernels::worked_against(half, own.middle.data() + kDeviators * m, 1);
    }
}

template <class T, int N>
void YieldPass<T, N>::add_energies(const Pack<T>* given, const Scratch& own, Pack<T>& taken,
                                   Pack<T>& heat) const {
    Pack<T> waves{}, initial{};
    for (const int n : own.yielding) {
        Pack<T> by_waves[kDeviators] = {}, by_initial[kStresses];
        for (int m = 0; m < kModes; ++m) {
            const T value = times_modes_[n * kModes + m];
            for (int c = 0; c < kDeviators; ++c) {
                by_waves[c] += value * own.middle[kDeviators * m + c];
            }
        }
        kernels::between_vertices<T, kStresses>(given, 1, times_vertices_.data() + 4 * n,
                                                by_initial);
        const Pack<T>* d = own.taken.data() + kDeviators * n;
        Pack<T> against[kDeviators];
        kernels::worked_against(by_initial, against, 1);
        for (int c = 0; c < kDeviators; ++c) {
            waves += d[c] * by_waves[c];
            initial += d[c] * against[c];
        }
    }
    const Pack<T> scale = given[YieldTerms::kPerTwoMu] * given[YieldTerms::kVolume];
    taken = scale * waves;
    heat = scale * (waves + initial);
}

template class YieldPass<double, 1>;
template class YieldPass<double, 2>;
template class YieldPass<double, 3>;
template class YieldPass<double, 4>;
template class YieldPass<double, 5>;
template class YieldPass<double, 6>;
template class YieldPass<float, 1>;
template class YieldPass<float, 2>;
template class YieldPass<float, 3>;
template class YieldPass<float, 4>;
template class YieldPass<float, 5>;
template class YieldPass<float, 6>;

}  // namespace kaname::aderdg
