// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/device/hd.hpp"
#include "solvers/viscoelastic/kernels/internal_force.hpp"

namespace kaname::viscoelastic {

[[nodiscard]] KANAME_HD inline Parts scaled(double factor, const Parts& parts) {
    return {factor * parts.deviator, factor * parts.mean};
}

template <class V>
KANAME_HD inline V mean_of(const V (&s)[6]) {
    return (s[0] + s[1] + s[2]) / 3.0;
}

/// Component c of `factor` of a tensor with this mean.
template <class V>
KANAME_HD inline V part_of(const Parts& factor, const V (&s)[6], const V& mean, int c) {
    return c < 3 ? V(factor.deviator * (s[c] - mean) + factor.mean * mean) : factor.deviator * s[c];
}

/// sigma - relax sigma, in place.
template <class V>
KANAME_HD inline void relax_stress(V (&s)[6], const Parts& relax) {
    const V mean = mean_of(s);
    KANAME_UNROLL(6)
    for (int c = 0; c < 6; ++c) {
        s[c] -= part_of(relax, s, mean, c);
    }
}

/// Of a material with two branches, of which S_2 = t is kept: relax_stress with the first branch's
/// relax has taken relax S_2 instead of second_relax S_2.
template <class V>
KANAME_HD inline void relax_second(V (&s)[6], const V (&t)[6], const Parts& relax,
                                   const Parts& second_relax) {
    const Parts more{second_relax.deviator - relax.deviator, second_relax.mean - relax.mean};
    const V mean = mean_of(t);
    KANAME_UNROLL(6)
    for (int c = 0; c < 6; ++c) {
        s[c] -= part_of(more, t, mean, c);
    }
}

/// The second branch of one element, or of one of its vertices.
struct SecondOfElement {
    double* stress = nullptr;  ///< S_2; null: one branch only
    Parts relax, weight;

    [[nodiscard]] KANAME_HD SecondOfElement vertex(int k) const {
        return {stress == nullptr ? nullptr : stress + k * 6 * lanes::kLanes, relax, weight};
    }
};

/// SecondBranch for the threads of a GPU, which know no views; null where no element has one.
struct SecondPointers {
    const std::int32_t* slot = nullptr;
    const Parts* relax = nullptr;
    const Parts* weight = nullptr;
    double* stress = nullptr;

    SecondPointers(const SecondBranch& second)
        : slot(second.slot.empty() ? nullptr : second.slot.data()),
          relax(second.relax.data()),
          weight(second.weight.data()),
          stress(second.stress.data()) {}

    [[nodiscard]] KANAME_HD SecondOfElement of(std::int64_t elem) const {
        if (slot == nullptr || slot[elem] < 0) {
            return {};
        }
        const std::int32_t at = slot[elem];
        return {stress + std::int64_t(at) * kStressPerElement, relax[at], weight[at]};
    }
};

/// S_2 += weight grown - relax_2 S_2, where grown = D_v B du.
template <class V>
KANAME_HD inline void step_second(V (&t)[6], const V (&grown)[6], const SecondOfElement& second) {
    relax_stress(t, second.relax);
    const V mean = mean_of(grown);
    KANAME_UNROLL(6)
    for (int c = 0; c < 6; ++c) {
        t[c] += part_of(second.weight, grown, mean, c);
    }
}

}  // namespace kaname::viscoelastic
