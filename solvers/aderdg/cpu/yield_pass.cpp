// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/cpu/yield_pass.hpp"

#include <cmath>

#include "solvers/aderdg/block_points.hpp"
#include "solvers/aderdg/plasticity.hpp"
#include "solvers/parallel/loops.hpp"
#include "solvers/parallel/pack_math.hpp"

namespace kaname::aderdg {
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
