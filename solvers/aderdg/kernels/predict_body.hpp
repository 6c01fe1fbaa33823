// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/aderdg/bernstein.hpp"
#include "solvers/aderdg/kernels/element_terms.hpp"
#include "solvers/parallel/pack.hpp"

/// The predictor of one block by Cauchy, Kovalevskaya and Taylor: derivatives in time from those in
/// space. With x = (t - t0)/dt in a step, the unknowns are
///   q(x) = sum_i binom(N, i) x^i d_i,    d_0 = q(0),  d_(i+1) = L d_i,
/// where L is dt times the operator less the factor of Bernstein's derivative, and d_i has degree
/// N - i.
namespace kaname::aderdg::kernels {

/// binom(N, i).
constexpr double taylor_factor(int N, int i) {
    double b = 1.0;
    for (int k = 0; k < i; ++k) {
        b = b * (N - k) / (k + 1);
    }
    return b;
}

/// Place of derivative i > 0 among the packs of all but the first.
constexpr int derivative_place(int N, int i) {
    int place = 0;
    for (int k = 1; k < i; ++k) {
        place += tet_modes(N - k) * kQuantities;
    }
    return place;
}

/// out (degree n - 1) = L in (degree n):
///   sigma' = lambda div v I + mu (grad v + grad v^T),    v' = div sigma / rho.
template <class T, int n>
inline void apply_operator(const Pack<T>* __restrict in, Pack<T>* __restrict out,
                           const Pack<T>* __restrict terms) {
    static constexpr TetDerivative<n> kAbove;
    Pack<T> g[4][3];
    for (int a = 0; a < 4; ++a) {
        for (int d = 0; d < 3; ++d) {
            g[a][d] = terms[Terms::kGradient + 3 * a + d];
        }
    }
    const Pack<T> lambda = terms[Terms::kLambda], mu = terms[Terms::kMu];
    const Pack<T> per_density = terms[Terms::kPerDensity];
    for (int k = 0; k < tet_modes(n - 1); ++k) {
        Pack<T> v[3][3] = {};  // [component][derivative]
        Pack<T> f[3] = {};
#pragma GCC unroll 4
        for (int a = 0; a < 4; ++a) {
            const Pack<T>* q = in + kQuantities * kAbove.above[k][a];
#pragma GCC unroll 3
            for (int c = 0; c < 3; ++c) {
#pragma GCC unroll 3
                for (int d = 0; d < 3; ++d) {
                    v[c][d] += q[6 + c] * g[a][d];
                }
            }
            f[0] += q[0] * g[a][0] + q[3] * g[a][1] + q[5] * g[a][2];
            f[1] += q[3] * g[a][0] + q[1] * g[a][1] + q[4] * g[a][2];
            f[2] += q[5] * g[a][0] + q[4] * g[a][1] + q[2] * g[a][2];
        }
        const Pack<T> pressure = lambda * (v[0][0] + v[1][1] + v[2][2]);
        Pack<T>* to = out + kQuantities * k;
        to[0] = pressure + mu * (v[0][0] + v[0][0]);
        to[1] = pressure + mu * (v[1][1] + v[1][1]);
        to[2] = pressure + mu * (v[2][2] + v[2][2]);
        to[3] = mu * (v[0][1] + v[1][0]);
        to[4] = mu * (v[1][2] + v[2][1]);
        to[5] = mu * (v[0][2] + v[2][0]);
        to[6] = per_density * f[0];
        to[7] = per_density * f[1];
        to[8] = per_density * f[2];
    }
}

/// d_1 ... d_N from d_0, which is `in`.
template <class T, int N, int i = 0>
inline void all_derivatives(const Pack<T>* in, const Pack<T>* terms, Pack<T>* derivatives) {
    if constexpr (i < N) {
        Pack<T>* out = derivatives + derivative_place(N, i + 1);
        apply_operator<T, N - i>(in, out, terms);
        all_derivatives<T, N, i + 1>(out, terms, derivatives);
    }
}

/// out (degree n) = factor * own + in (degree n - 1) elevated.
template <class T, int n>
inline void elevate_and_add(const Pack<T>* __restrict in, const Pack<T>* own, T factor,
                            Pack<T>* out) {
    static constexpr TetElevation<T, n> kElevation;
    for (int k = 0; k < tet_modes(n); ++k) {
        Pack<T> sum[kQuantities];
#pragma GCC unroll 9
        for (int q = 0; q < kQuantities; ++q) {
            sum[q] = factor * own[kQuantities * k + q];
        }
        const auto& row = kElevation.rows[k];
        for (int m = 0; m < row.size; ++m) {
            const Pack<T>* from = in + kQuantities * row.place[m];
            const T share = row.factor[m];
#pragma GCC unroll 9
            for (int q = 0; q < kQuantities; ++q) {
                sum[q] += share * from[q];
            }
        }
#pragma GCC unroll 9
        for (int q = 0; q < kQuantities; ++q) {
            out[kQuantities * k + q] = sum[q];
        }
    }
}

/// out = sum_i weights[i] d_i in degree N, by Horner's rule from the highest derivative; two
/// buffers of tet_modes(N - 1) * 9 packs. `out` may be d_0.
template <class T, int N, int i = N>
inline void sum_derivatives(const Pack<T>* first, const Pack<T>* derivatives, const T* weights,
                            Pack<T>* buffer, Pack<T>* other, Pack<T>* out) {
    if constexpr (i == N) {
        const Pack<T>* own = derivatives + derivative_place(N, N);
        for (int q = 0; q < kQuantities; ++q) {
            buffer[q] = weights[N] * own[q];
        }
        sum_derivatives<T, N, N - 1>(first, derivatives, weights, buffer, other, out);
    } else if constexpr (i > 0) {
        elevate_and_add<T, N - i>(buffer, derivatives + derivative_place(N, i), weights[i], other);
        sum_derivatives<T, N, i - 1>(first, derivatives, weights, other, buffer, out);
    } else {
        elevate_and_add<T, N>(buffer, first, weights[0], out);
    }
}

/// Traction on the outward normal of face f and velocity of what has degree N in the block, as
/// [6][face_modes(N)].
template <class T, int N>
inline void take_trace(const Pack<T>* __restrict q, int f, const Pack<T>* __restrict terms,
                       Pack<T>* __restrict trace) {
    static constexpr FaceLayers<N> kLayers;
    constexpr int kModes = face_modes(N);
    const Pack<T>* n = terms + Terms::kFaces + f * Terms::kFace + Terms::kNormal;
    const Pack<T> nx = n[0], ny = n[1], nz = n[2];
    for (int k = 0; k < kModes; ++k) {
        const Pack<T>* s = q + kQuantities * kLayers.place[f][k];
        trace[k] = s[0] * nx + s[3] * ny + s[5] * nz;
        trace[kModes + k] = s[3] * nx + s[1] * ny + s[4] * nz;
        trace[2 * kModes + k] = s[5] * nx + s[4] * ny + s[2] * nz;
        trace[3 * kModes + k] = s[6];
        trace[4 * kModes + k] = s[7];
        trace[5 * kModes + k] = s[8];
    }
}

}  // namespace kaname::aderdg::kernels
