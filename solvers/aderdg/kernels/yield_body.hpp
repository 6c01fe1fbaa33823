// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <concepts>

#include "solvers/device/hd.hpp"

/// Drucker-Prager yield of stresses xx, yy, zz, xy, yz, xz (tension positive) at one place (V = T),
/// or at one place of each of a pack's elements (V = Pack<T>, solvers/parallel/pack.hpp):
///   sqrt(J2) <= cohesion cos(phi) - sigma_m sin(phi),    J2 = s : s/2,  s = sigma - sigma_m I.
/// Theory: docs/theory/plasticity.md.
namespace kaname::aderdg {

/// Places among what is known of yielding in an element, each a pack of its block.
struct YieldTerms {
    /// Least strength less shear stress of the initial state; < 0 where it yields.
    static constexpr int kMargin = 0;
    static constexpr int kLeastSine = 1;  ///< sin(phi) in the element
    static constexpr int kMostSine = 2;
    static constexpr int kPerTwoMu = 3;
    static constexpr int kVolume = 4;
    static constexpr int kVertices = 5;  ///< [4][kVertex], linear between them
    static constexpr int kStress = 0;    ///< [6] initial
    static constexpr int kCohesion = 6;  ///< times cos(phi)
    static constexpr int kSine = 7;
    static constexpr int kVertex = 8;
    static constexpr int kSize = kVertices + 4 * kVertex;
};

/// Numbers the sums of an element's yielding: mean of int sqrt(de : de/2) of its plastic strain e;
/// elastic energy that yielding takes from waves; heat int sigma : de, to which the initial stress
/// adds.
struct Yielded {
    static constexpr int kStrain = 0;
    static constexpr int kTakenJ = 1;
    static constexpr int kHeatJ = 2;
    static constexpr int kFields = 3;
};

namespace kernels {

template <std::floating_point T>
KANAME_HD inline T larger(T a, T b) {
    return a < b ? b : a;
}
template <std::floating_point T>
KANAME_HD inline T square_root(T a) {
    return std::sqrt(a);
}

template <class T, class V>
KANAME_HD inline V mean_stress(const V* s) {
    return T(1.0 / 3.0) * (s[0] + s[1] + s[2]);
}

/// J2 of a stress.
template <class T, class V>
KANAME_HD inline V shear_squared(const V* s) {
    const V a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
    return T(1.0 / 6.0) * (a * a + b * b + c * c) + (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]);
}

/// Above 0 where a stress exceeds its strength, which is the least for the sines in the interval.
/// At Bernstein coefficients 0 or less proves that the whole polynomial is within it: the yield
/// function is convex in the stress, and the basis is a partition of unity.
template <class T, class V>
KANAME_HD inline V excess(const V* s, const V& cohesion, const V& least_sine, const V& most_sine) {
    const V mean = mean_stress<T>(s);
    const V strength = cohesion - larger(least_sine * mean, most_sine * mean);
    // sqrt(J2) > strength, without the root.
    return shear_squared<T>(s) - strength * larger(strength, V{} - strength);
}

/// The part of the deviator that a step takes, relaxes (1 - strength/sqrt(J2)), relaxes =
/// 1 - exp(-dt/T_v); 0 within the strength. The shear stress sqrt(J2) to `shear`.
template <class T, class V>
KANAME_HD inline V relaxed_share(const V* s, const V& cohesion, const V& sine, T relaxes,
                                 V& shear) {
    shear = square_root(shear_squared<T>(s));
    const V strength = larger(cohesion - sine * mean_stress<T>(s), V{});
    const V beyond = larger(shear - strength, V{});
    return relaxes * (beyond / larger(shear, T(1e-30) + V{}));
}

/// Numbers of a deviator that are kept, xx, yy, xy, yz, xz: zz is what is left.
inline constexpr int kDeviators = 5;

/// sum_a share[a] of the vertices' first n numbers; `given` [YieldTerms::kSize][stride].
template <class T, int n, class V>
KANAME_HD inline void between_vertices(const V* given, int stride, const T* share, V* to) {
    for (int c = 0; c < n; ++c) {
        V sum{};
        for (int a = 0; a < 4; ++a) {
            sum += share[a] * given[(YieldTerms::kVertices + a * YieldTerms::kVertex + c) * stride];
        }
        to[c] = sum;
    }
}

/// Relaxes a node whose stresses and strength are s [YieldTerms::kVertex], where `may` is 1 and not
/// 0. Writes the part of its deviator that relaxes to `taken` [kDeviators][stride]. Returns 2 mu
/// times its plastic strain.
template <class T, class V>
KANAME_HD inline V relaxed(const V* s, const V& may, T relaxes, V* taken, int stride) {
    V shear;
    const V share =
        may * relaxed_share<T>(s, s[YieldTerms::kCohesion], s[YieldTerms::kSine], relaxes, shear);
    const V mean = mean_stress<T>(s);
    taken[0] = share * (s[0] - mean);
    taken[stride] = share * (s[1] - mean);
    for (int c = 2; c < kDeviators; ++c) {
        taken[c * stride] = share * s[c + 1];
    }
    return share * shear;
}

/// A deviator's work d . w = sum of d over [kDeviators] times this, which knows only the
/// differences of w [6] from zz.
template <class V>
KANAME_HD inline void worked_against(const V* w, V* to, int stride) {
    to[0] = w[0] - w[2];
    to[stride] = w[1] - w[2];
    for (int c = 2; c < kDeviators; ++c) {
        to[c * stride] = w[1 + c] + w[1 + c];
    }
}

}  // namespace kernels
}  // namespace kaname::aderdg
