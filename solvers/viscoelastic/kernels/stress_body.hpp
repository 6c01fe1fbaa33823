// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/device/hd.hpp"
#include "solvers/viscoelastic/kernels/internal_force.hpp"

namespace kaname::viscoelastic {

/// sigma - relax dev(sigma), in place; `whole`: sigma - relax sigma.
template <class V>
KANAME_HD inline void relax_stress(V (&s)[6], double relax, bool whole) {
    const V mean = whole ? V{} : V((s[0] + s[1] + s[2]) / 3.0);
    KANAME_UNROLL(6)
    for (int c = 0; c < 6; ++c) {
        s[c] -= relax * (c < 3 ? V(s[c] - mean) : s[c]);
    }
}

/// Of a material with two branches, S_1 + S_2 = dev(sigma), of which S_2 = t is kept: relax_stress
/// with the first branch's relax has taken relax S_2 instead of second_relax S_2.
template <class V>
KANAME_HD inline void relax_second(V (&s)[6], const V (&t)[6], double relax, double second_relax) {
    KANAME_UNROLL(6)
    for (int c = 0; c < 6; ++c) {
        s[c] -= (second_relax - relax) * t[c];
    }
}

/// The second branch of one element, or of one of its vertices.
struct SecondOfElement {
    double* stress = nullptr;  ///< S_2; null: one branch only
    double relax = 0.0, weight = 0.0;
    bool whole = false;

    [[nodiscard]] KANAME_HD SecondOfElement vertex(int k) const {
        return {stress == nullptr ? nullptr : stress + k * 6 * kernels::kLanes, relax, weight,
                whole};
    }
};

/// SecondBranch for the threads of a GPU, which know no views; null where no element has one.
struct SecondPointers {
    const std::int32_t* slot = nullptr;
    const double* relax = nullptr;
    const double* weight = nullptr;
    double* stress = nullptr;
    bool whole = false;

    SecondPointers(const SecondBranch& second)
        : slot(second.slot.empty() ? nullptr : second.slot.data()),
          relax(second.relax.data()),
          weight(second.weight.data()),
          stress(second.stress.data()),
          whole(second.whole) {}

    [[nodiscard]] KANAME_HD SecondOfElement of(std::int64_t elem) const {
        if (slot == nullptr || slot[elem] < 0) {
            return {};
        }
        const std::int32_t at = slot[elem];
        return {stress + std::int64_t(at) * kStressPerElement, relax[at], weight[at], whole};
    }
};

/// S_2 += weight dev(grown) - relax_2 S_2, where grown = D_v B du; `whole`: weight grown.
template <class V>
KANAME_HD inline void step_second(V (&t)[6], const V (&grown)[6], const SecondOfElement& second) {
    const V mean = second.whole ? V{} : V((grown[0] + grown[1] + grown[2]) / 3.0);
    KANAME_UNROLL(6)
    for (int c = 0; c < 6; ++c) {
        t[c] += second.weight * (c < 3 ? V(grown[c] - mean) : grown[c]) - second.relax * t[c];
    }
}

}  // namespace kaname::viscoelastic
