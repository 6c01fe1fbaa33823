// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/aderdg/kernels/predict_body.hpp"

/// The predictor where a term without derivatives in space keeps the degree: attenuation and
/// sources. With x = (t - t0)/dt the unknowns are q(x) = sum_i x^i s_i, all of degree N,
///   s_0 = q(0),    s_(i+1) = dt (L s_i + f_i)/(i + 1),    f_i coefficients of the sources' rates.
namespace kaname::aderdg::kernels {

/// out (degree n - 1) = strain rates xx, yy, zz, xy, yz, xz (tensor components) and accelerations,
/// times dt, of `in` (degree n), less the factor n.
template <class T, int n>
inline void strain_operator(const Pack<T>* __restrict in, Pack<T>* __restrict out,
                            const Pack<T>* __restrict terms) {
    static constexpr TetDerivative<n> kAbove;
    const Pack<T>* g = terms + Terms::kGradient;
    const Pack<T> per_density = terms[Terms::kPerDensity];
    const T half = T(0.5);
    for (int k = 0; k < tet_modes(n - 1); ++k) {
        Pack<T> v[3][3] = {};
        Pack<T> f[3] = {};
        for (int a = 0; a < 4; ++a) {
            const Pack<T>* q = in + kQuantities * kAbove.above[k][a];
            const Pack<T> gx = g[3 * a], gy = g[3 * a + 1], gz = g[3 * a + 2];
            for (int c = 0; c < 3; ++c) {
                v[c][0] += q[6 + c] * gx;
                v[c][1] += q[6 + c] * gy;
                v[c][2] += q[6 + c] * gz;
            }
            f[0] += q[0] * gx + q[3] * gy + q[5] * gz;
            f[1] += q[3] * gx + q[1] * gy + q[4] * gz;
            f[2] += q[5] * gx + q[4] * gy + q[2] * gz;
        }
        Pack<T>* to = out + kQuantities * k;
        to[0] = v[0][0];
        to[1] = v[1][1];
        to[2] = v[2][2];
        to[3] = half * (v[0][1] + v[1][0]);
        to[4] = half * (v[1][2] + v[2][1]);
        to[5] = half * (v[0][2] + v[2][0]);
        for (int c = 0; c < 3; ++c) {
            to[6 + c] = per_density * f[c];
        }
    }
}

/// next = dt L s/(i + 1) of all unknowns; low [tet_modes(N - 1)][9], rates [tet_modes(N)][9] and
/// zeros [tet_modes(N)][9] are scratch.
template <class T, int N>
inline void next_coefficient(const Pack<T>* s, const Pack<T>* terms, int mechanisms, int i,
                             Pack<T>* low, Pack<T>* rates, const Pack<T>* zeros, Pack<T>* next) {
    strain_operator<T, N>(s, low, terms);
    elevate_and_add<T, N>(low, zeros, T(0), rates);
    const T factor = static_cast<T>(1.0 / (i + 1)), degree = static_cast<T>(N);
    const Pack<T> lambda = terms[Terms::kLambda], two_mu = terms[Terms::kMu] + terms[Terms::kMu];
    constexpr int kModes = tet_modes(N);
    for (int k = 0; k < kModes; ++k) {
        const Pack<T>* e = rates + kQuantities * k;
        Pack<T> stress[kStresses];
        const Pack<T> pressure = lambda * (e[0] + e[1] + e[2]);
        for (int c = 0; c < 3; ++c) {
            stress[c] = degree * (pressure + two_mu * e[c]);
            stress[3 + c] = degree * (two_mu * e[3 + c]);
        }
        for (int l = 0; l < mechanisms; ++l) {
            const Pack<T>* m = terms + Terms::kMechanisms + l * Terms::kMechanism;
            const int at = kModes * (kQuantities + l * kStresses) + kStresses * k;
            const Pack<T>* theta = s + at;
            const Pack<T> mu = m[Terms::kAnelasticMu] + m[Terms::kAnelasticMu];
            const Pack<T> lost = m[Terms::kAnelasticLambda] * (theta[0] + theta[1] + theta[2]);
            for (int c = 0; c < kStresses; ++c) {
                stress[c] = stress[c] - mu * theta[c];
                if (c < 3) {
                    stress[c] = stress[c] - lost;
                }
                next[at + c] =
                    factor * (degree * (m[Terms::kOmega] * e[c]) - m[Terms::kOmegaStep] * theta[c]);
            }
        }
        for (int c = 0; c < kStresses; ++c) {
            next[kQuantities * k + c] = factor * stress[c];
        }
        for (int c = 6; c < kQuantities; ++c) {
            next[kQuantities * k + c] = (factor * degree) * e[c];
        }
    }
}

}  // namespace kaname::aderdg::kernels
