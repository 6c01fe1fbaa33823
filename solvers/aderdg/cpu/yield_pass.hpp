// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "solvers/aderdg/bernstein.hpp"
#include "solvers/aderdg/engine.hpp"
#include "solvers/aderdg/kernels/element_terms.hpp"
#include "solvers/aderdg/kernels/yield_body.hpp"
#include "solvers/aderdg/plasticity.hpp"
#include "solvers/parallel/aligned.hpp"
#include "solvers/parallel/pack.hpp"

namespace kaname::aderdg {

/// Visco-plasticity of a rank's elements, at the end of each of their steps; one lane.
///
/// Bernstein coefficients within the strength prove that an element does not yield; the others are
/// looked at at their nodes. First coefficients of what waves bring are held against the least
/// margin of the initial state (about 20 operations each), then with the initial state added.
template <class T, int N>
class YieldPass {
public:
    explicit YieldPass(const EngineSetup& setup);

    /// Relaxes a block's stresses [tet_modes(N)][kQuantities] for a step of its cluster.
    void relax(std::int32_t block, int cluster, Pack<T>* q);

    using Sums = std::array<double, Yielded::kFields>;
    [[nodiscard]] Sums& sums(std::int32_t block, int element) {
        return sums_[static_cast<std::size_t>(block) * kPack<T> + element];
    }

private:
    static constexpr int kModes = tet_modes(N);
    static constexpr int kDeviators = kernels::kDeviators;

    struct Scratch {
        AlignedVector<Pack<T>> taken = AlignedVector<Pack<T>>(kModes * kDeviators);
        AlignedVector<Pack<T>> middle = AlignedVector<Pack<T>>(kModes * kDeviators);
        std::vector<int> yielding;  ///< nodes
    };

    /// Which elements have coefficients above the strength, 1 or 0.
    [[nodiscard]] static Pack<T> above_margin(const Pack<T>* given, const Pack<T>* q);
    [[nodiscard]] Pack<T> above_strength(const Pack<T>* given, const Pack<T>* q) const;
    /// Relaxes at the nodes of those elements; what the nodes give up to `own`.
    Pack<T> relax_nodes(const Pack<T>* given, const Pack<T>& may, T relaxes, const Pack<T>* q,
                        Scratch& own) const;
    /// Takes from the coefficients what the nodes give up; stresses half way to `own`.
    void take(const Pack<T>& may, Scratch& own, Pack<T>* q) const;
    /// Energy taken from waves and heat, by the work of mean stresses.
    void add_energies(const Pack<T>* given, const Scratch& own, Pack<T>& taken,
                      Pack<T>& heat) const;

    AlignedVector<Pack<T>> given_;  ///< [blocks][YieldTerms::kSize]
    std::vector<T> relaxes_;        ///< [clusters] 1 - exp(-dt/T_v)
    std::vector<Sums> sums_;        ///< [blocks][elements]
    SparseRows<T> to_nodes_, to_modes_;
    std::vector<T> vertex_share_;  ///< [modes][4] of a linear function's coefficients
    std::vector<T> nodes_;         ///< [nodes][4]
    std::vector<T> times_modes_, times_vertices_, mean_;
};

extern template class YieldPass<double, 1>;
extern template class YieldPass<double, 2>;
extern template class YieldPass<double, 3>;
extern template class YieldPass<double, 4>;
extern template class YieldPass<double, 5>;
extern template class YieldPass<double, 6>;
extern template class YieldPass<float, 1>;
extern template class YieldPass<float, 2>;
extern template class YieldPass<float, 3>;
extern template class YieldPass<float, 4>;
extern template class YieldPass<float, 5>;
extern template class YieldPass<float, 6>;

}  // namespace kaname::aderdg
