// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/viscoelastic/kernels/p2_vertex_body.hpp"

/// What the element operator does with the elements that a reader holds: one lane of one element on
/// a GPU (SlotLane), a register of lanes of several on the CPU (ebe_apply_cpu.cpp). A reader has
///   V                     a number of its elements and lanes
///   displacement(x, u)    of the nodes
///   coefficient(m)        0..8 the gradients, 9 and 10 lam and mu times V/20
///   weight(), pressure(p, k)   V/20 and the pressure at vertex k, where there are pressure nodes
namespace kaname::viscoelastic::body {

template <class R, class V>
KANAME_HD inline void load_gradients(const R& reader, V (&G)[3][3]) {
    KANAME_UNROLL(9)
    for (int m = 0; m < 9; ++m) {
        G[m / 3][m % 3] = reader.coefficient(m);
    }
}

/// f = int B^T (sigma(x) + p I), p linear; pressure null: none.
template <class R, class T, class V>
KANAME_HD inline void operator_force(const R& reader, const T* x, const T* pressure,
                                     V (&f)[p2::kNodesPerTet10][3]) {
    V u[p2::kNodesPerTet10][3];
    V G[3][3];
    reader.displacement(x, u);
    load_gradients(reader, G);
    V s[4][6];
    element_stress(u, G, reader.coefficient(9), reader.coefficient(10), s);
    if (pressure != nullptr) {
        const V weight = reader.weight();
        KANAME_UNROLL(4)
        for (int k = 0; k < 4; ++k) {
            const V p = weight * reader.pressure(pressure, k);
            s[k][0] += p;
            s[k][1] += p;
            s[k][2] += p;
        }
    }
    KANAME_UNROLL(10)
    for (int k = 0; k < p2::kNodesPerTet10; ++k) {
        f[k][0] = f[k][1] = f[k][2] = V{};
    }
    add_element_force(s, G, f);
}

/// y[k] = int L_k div x.
template <class R, class T, class V>
KANAME_HD inline void operator_dilatation(const R& reader, const T* x, V (&y)[4]) {
    V u[p2::kNodesPerTet10][3];
    V G[3][3];
    reader.displacement(x, u);
    load_gradients(reader, G);
    element_dilatation(u, G, reader.weight(), y);
}

}  // namespace kaname::viscoelastic::body
