// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/lanes/share.hpp"
#include "solvers/viscoelastic/kernels/element_data.hpp"

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

/// Corrects the stress of a material with two branches, of which S_2 = t is kept: relax_stress with
/// the first branch's relax has taken relax S_2 instead of second_relax S_2.
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

/// The second branch of one element.
struct SecondOfElement {
    double* stress = nullptr;  ///< S_2 of all; null: one branch only
    std::int64_t first = 0;    ///< the element's first number in it, [4][6] numbers
    Parts relax, weight;
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
        return {stress, std::int64_t(at) * kStressNumbers, relax[at], weight[at]};
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

/// One step of a vertex, where D B du = grown:
///   S_2 += weight grown - relax_2 S_2,   sigma += grown - relax S_1 - relax_2 S_2
template <class V>
KANAME_HD inline void step_stress(V (&s)[6], V (&t)[6], const V (&grown)[6], const Parts& relax,
                                  const SecondOfElement& second) {
    relax_stress(s, relax);
    if (second.stress != nullptr) {
        relax_second(s, t, relax, second.relax);
        step_second(t, grown, second);
    }
    KANAME_UNROLL(6)
    for (int c = 0; c < 6; ++c) {
        s[c] += grown[c];
    }
}

/// The six components that begin with number `at`.
template <class P, class V>
KANAME_HD inline void load_tensor(const P& p, const double* from, std::int64_t at, V (&t)[6]) {
    KANAME_UNROLL(6)
    for (int c = 0; c < 6; ++c) {
        t[c] = p.load(from, at + c);
    }
}
template <class P, class V>
KANAME_HD inline void store_tensor(const P& p, double* to, std::int64_t at, const V (&t)[6]) {
    KANAME_UNROLL(6)
    for (int c = 0; c < 6; ++c) {
        p.store(to, at + c, t[c]);
    }
}

/// Steps of one element whose lanes are consecutive steps, one after the other: lane `shift` after
/// lane 0 and so on; grown(lane, g) gives D B du of a lane at the vertices.
template <int L, class Grown>
KANAME_HD inline void chain_lanes(double* stress, std::int64_t first, const Parts& relax,
                                  const SecondOfElement& second, int shift, const Grown& grown) {
    double s[4][6];
    double t[4][6] = {};
    for (int k = 0; k < 4; ++k) {
        load_tensor(lanes::OneLane<L>{0}, stress, first + k * 6, s[k]);
        if (second.stress != nullptr) {
            load_tensor(lanes::OneLane<L>{0}, second.stress, second.first + k * 6, t[k]);
        }
    }
    for (int lane = shift; lane < L; ++lane) {
        double g[4][6];
        grown(lane - shift, g);
        for (int k = 0; k < 4; ++k) {
            step_stress(s[k], t[k], g[k], relax, second);
            store_tensor(lanes::OneLane<L>{lane}, stress, first + k * 6, s[k]);
            if (second.stress != nullptr) {
                store_tensor(lanes::OneLane<L>{lane}, second.stress, second.first + k * 6, t[k]);
            }
        }
    }
}

}  // namespace kaname::viscoelastic
