// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/device/hd.hpp"
#include "solvers/p2/tet10.hpp"
#include "solvers/viscoelastic/kernels/p2_vertex_body.hpp"

// On a straight P2 tetrahedron the displacement gradient is its mean plus three slopes,
//   d u_i / d L_m = e_m + 4 sum_n h_mn (L_n - 1/4),   m, n = 1..3, h symmetric,
// nine numbers per component instead of the twelve of four vertices, and moments of the L_n are
//   int (L_n - 1/4) (L_k - 1/4) = V/20 (delta_nk - 1/4).
// With A = sqrt(0.8 V) G and the stress s(g) = lam tr(g) I + mu (g + g^T) the forces on e and h_n
// are 1.25 A s(A e) and A (s(A h_n) - 1/4 sum_k s(A h_k)). V is any type with + - * (a SIMD
// register of sources and elements, or a plain number). Formulas: docs/theory/viscoelastic.md,
// section "Element operator in mean and slopes".
namespace kaname::viscoelastic {

/// LinearPart is one component of the displacement, or of a force, in mean and slopes.
template <class V>
struct LinearPart {
    V mean[3];
    V slope[6];  ///< voigt(m, n)
};

/// Mean and slopes of one component from its ten nodal values.
template <class V>
KANAME_HD inline void linear_part(const V (&u)[p2::kNodesPerTet10], LinearPart<V>& part) {
    V spoke[3];  // from vertex 0 to the middle of edge 0m
    V cross[3];  // what the edge across gains on 0m
    KANAME_UNROLL(3)
    for (int m = 0; m < 3; ++m) {
        const V& near = u[mid_node(0, m + 1)];
        spoke[m] = near - u[0];
        cross[m] = u[mid_node((m + 1) % 3 + 1, (m + 2) % 3 + 1)] - near;
        part.slope[m] = (u[m + 1] - near) - spoke[m];
    }
    KANAME_UNROLL(3)
    for (int m = 0; m < 3; ++m) {
        const int n = (m + 1) % 3;
        const int across = (m + 2) % 3;
        part.mean[across] = cross[m] + cross[n];
        // u_mn - u_0m - u_0n + u_0 where u_mn is across u_0(across).
        part.slope[3 + across] = (u[mid_node(m + 1, n + 1)] - u[mid_node(0, n + 1)]) - spoke[m];
    }
}

/// Transpose of linear_part; the mean comes 1.25 times.
template <class V>
KANAME_HD inline void nodal_part(const LinearPart<V>& part, V (&f)[p2::kNodesPerTet10]) {
    V row[3];
    KANAME_UNROLL(3)
    for (int m = 0; m < 3; ++m) {
        const int n = (m + 1) % 3;
        const int k = (m + 2) % 3;
        row[m] = part.slope[m] + (part.slope[3 + n] + part.slope[3 + k]);
        const V across = part.mean[n] + part.mean[k];
        f[m + 1] = part.slope[m];
        f[mid_node(n + 1, k + 1)] = 1.25F * across + part.slope[3 + m];
        f[mid_node(0, m + 1)] = -1.25F * across - (row[m] + part.slope[m]);
    }
    f[0] = row[0] + (part.slope[1] + part.slope[2]) + part.slope[3];
}

/// s = lam tr(g) I + mu (g + g^T), g[i][j] = sum_m A[m][j] d(i, m).
template <class V, class D>
KANAME_HD inline void scaled_stress(const D& d, const V (&A)[3][3], const V& lam, const V& mu,
                                    V (&s)[6]) {
    V g[3][3];
    KANAME_UNROLL(3)
    for (int i = 0; i < 3; ++i) {
        KANAME_UNROLL(3)
        for (int j = 0; j < 3; ++j) {
            g[i][j] = d(i, 0) * A[0][j] + d(i, 1) * A[1][j] + d(i, 2) * A[2][j];
        }
    }
    const V pressure = lam * (g[0][0] + g[1][1] + g[2][2]);
    const V two_mu = mu + mu;
    s[0] = pressure + two_mu * g[0][0];
    s[1] = pressure + two_mu * g[1][1];
    s[2] = pressure + two_mu * g[2][2];
    s[3] = mu * (g[1][2] + g[2][1]);
    s[4] = mu * (g[0][2] + g[2][0]);
    s[5] = mu * (g[0][1] + g[1][0]);
}

}  // namespace kaname::viscoelastic
