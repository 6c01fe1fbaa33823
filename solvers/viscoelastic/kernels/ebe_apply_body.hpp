// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/viscoelastic/kernels/p2_vertex_body.hpp"

/// Applies the element operator to the elements that a reader holds: one lane of one element on a
/// GPU (SlotLane), a register of lanes of several on the CPU (ebe_apply_cpu.cpp). A reader has
///   V                     a number of its elements and lanes
///   component(x, i, u)    component i of the displacement of the nodes
///   coefficient(m)        0..8 A of p2_slope_body.hpp, 9 and 10 lam and mu
///   weight(), pressure(p, k)   V/5 over sqrt(0.8 V), and the pressure at vertex k, where there are
///                         pressure nodes
namespace kaname::viscoelastic::body {

template <class R, class V>
KANAME_HD inline void load_gradients(const R& reader, V (&A)[3][3]) {
    KANAME_UNROLL(9)
    for (int m = 0; m < 9; ++m) {
        A[m / 3][m % 3] = reader.coefficient(m);
    }
}

/// sink(i, f) takes component i of f [10] = int B^T (sigma(x) + p I), p linear; pressure null:
/// none.
template <class R, class T, class Sink>
KANAME_HD inline void force_by_component(const R& reader, const T* x, const T* pressure,
                                         const Sink& sink) {
    using V = typename R::V;
    LinearPart<V> part[3];
    KANAME_UNROLL(3)
    for (int i = 0; i < 3; ++i) {
        V u[p2::kNodesPerTet10];
        reader.component(x, i, u);
        linear_part(u, part[i]);
    }
    V A[3][3];
    load_gradients(reader, A);
    const V lam = reader.coefficient(9);
    const V mu = reader.coefficient(10);
    V s0[6], s[3][6];
    scaled_stress([&](int i, int m) -> const V& { return part[i].mean[m]; }, A, lam, mu, s0);
    KANAME_UNROLL(3)
    for (int n = 0; n < 3; ++n) {
        scaled_stress([&](int i, int m) -> const V& { return part[i].slope[voigt(m, n)]; }, A, lam,
                      mu, s[n]);
    }
    if (pressure != nullptr) {
        const V weight = reader.weight();
        const V p0 = weight * reader.pressure(pressure, 0);
        V p[3];
        KANAME_UNROLL(3)
        for (int n = 0; n < 3; ++n) {
            p[n] = weight * reader.pressure(pressure, n + 1);
        }
        const V all = (p0 + p[0]) + (p[1] + p[2]);
        KANAME_UNROLL(3)
        for (int c = 0; c < 3; ++c) {
            s0[c] += all;
            KANAME_UNROLL(3)
            for (int n = 0; n < 3; ++n) {
                s[n][c] += p[n] - p0;
            }
        }
    }
    KANAME_UNROLL(6)
    for (int c = 0; c < 6; ++c) {
        const V quarter = T(0.25) * (s[0][c] + s[1][c] + s[2][c]);
        s[0][c] -= quarter;
        s[1][c] -= quarter;
        s[2][c] -= quarter;
    }
    KANAME_UNROLL(3)
    for (int i = 0; i < 3; ++i) {
        LinearPart<V> force;
        const auto row = [&](int m, const V(&t)[6]) {
            return A[m][0] * t[voigt(i, 0)] + A[m][1] * t[voigt(i, 1)] + A[m][2] * t[voigt(i, 2)];
        };
        KANAME_UNROLL(3)
        for (int m = 0; m < 3; ++m) {
            force.mean[m] = row(m, s0);
            force.slope[m] = row(m, s[m]);
            const int n = (m + 1) % 3;
            const int k = (m + 2) % 3;
            force.slope[3 + m] = row(n, s[k]) + row(k, s[n]);
        }
        V f[p2::kNodesPerTet10];
        nodal_part(force, f);
        sink(i, f);
    }
}

/// f = int B^T (sigma(x) + p I), p linear; pressure null: none.
template <class R, class T, class V>
KANAME_HD inline void operator_force(const R& reader, const T* x, const T* pressure,
                                     V (&f)[p2::kNodesPerTet10][3]) {
    force_by_component(reader, x, pressure, [&](int i, const V(&own)[10]) {
        KANAME_UNROLL(10)
        for (int k = 0; k < p2::kNodesPerTet10; ++k) {
            f[k][i] = own[k];
        }
    });
}

/// y[k] = int L_k div x.
template <class R, class T, class V>
KANAME_HD inline void operator_dilatation(const R& reader, const T* x, V (&y)[4]) {
    V A[3][3];
    load_gradients(reader, A);
    V mean = V{};
    V slope[3] = {};
    KANAME_UNROLL(3)
    for (int i = 0; i < 3; ++i) {
        V u[p2::kNodesPerTet10];
        reader.component(x, i, u);
        LinearPart<V> part;
        linear_part(u, part);
        KANAME_UNROLL(3)
        for (int m = 0; m < 3; ++m) {
            mean += A[m][i] * part.mean[m];
            KANAME_UNROLL(3)
            for (int n = 0; n < 3; ++n) {
                slope[n] += A[m][i] * part.slope[voigt(m, n)];
            }
        }
    }
    // int L_k div x = V (mean / 4 + (slope_k - 1/4 sum_n slope_n) / 5)
    const V weight = reader.weight();
    const V rest = T(1.25) * mean - T(0.25) * (slope[0] + slope[1] + slope[2]);
    y[0] = weight * rest;
    KANAME_UNROLL(3)
    for (int n = 0; n < 3; ++n) {
        y[n + 1] = weight * (rest + slope[n]);
    }
}

}  // namespace kaname::viscoelastic::body
