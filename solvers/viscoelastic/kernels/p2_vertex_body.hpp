// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "solvers/device/hd.hpp"
#include "solvers/p2/dof_map.hpp"

// On a straight P2 tetrahedron the strain is linear, so its four vertex values determine it.
// V is any type with + - * (a SIMD register of sources and elements, or a plain number).
//   u    [10][3]  nodal displacement
//   G    [3][3]   G[m][j] = d L_(m+1) / d x_j, the rows of the inverse Jacobian
//   s    [4][6]   symmetric tensors at the vertices: xx yy zz yz zx xy
// Formulas: docs/theory/viscoelastic.md, section "Element operator in vertex form".
namespace kaname::viscoelastic {

/// Place of component ij in xx yy zz yz zx xy.
KANAME_HD constexpr int voigt(int i, int j) {
    return i == j ? i : 6 - i - j;
}

/// p2::kMidNode without a table, which code for a GPU cannot read.
KANAME_HD constexpr int mid_node(int a, int b) {
    const int low = a < b ? a : b;
    const int high = a < b ? b : a;
    return high == 3 ? 7 + low : high == 1 ? 4 : low == 1 ? 5 : 6;
}
static_assert(mid_node(0, 1) == p2::kMidNode[0][1] && mid_node(2, 0) == p2::kMidNode[2][0] &&
              mid_node(1, 2) == p2::kMidNode[1][2] && mid_node(3, 0) == p2::kMidNode[3][0] &&
              mid_node(1, 3) == p2::kMidNode[1][3] && mid_node(3, 2) == p2::kMidNode[3][2]);

/// d[m][i] = d u_i / d L_(m+1) at vertex K.
template <int K, class V>
KANAME_HD inline void reference_gradient(const V (&u)[p2::kNodesPerTet10][3], V (&d)[3][3]) {
    KANAME_UNROLL(3)
    for (int m = 0; m < 3; ++m) {
        const int v = m + 1;
        KANAME_UNROLL(3)
        for (int i = 0; i < 3; ++i) {
            if constexpr (K == 0) {
                d[m][i] = 4 * u[mid_node(0, v)][i] - u[v][i] - 3 * u[0][i];
            } else {
                if (K == v) {
                    d[m][i] = 3 * u[v][i] + u[0][i] - 4 * u[mid_node(0, v)][i];
                } else {
                    d[m][i] = u[0][i] - u[v][i] + 4 * (u[mid_node(K, v)][i] - u[mid_node(0, K)][i]);
                }
            }
        }
    }
}

/// Transpose of reference_gradient: adds h[m][i] at vertex K to the nodal forces f.
template <int K, class V>
KANAME_HD inline void scatter_reference_force(const V (&h)[3][3], V (&f)[p2::kNodesPerTet10][3]) {
    KANAME_UNROLL(3)
    for (int m = 0; m < 3; ++m) {
        const int v = m + 1;
        KANAME_UNROLL(3)
        for (int i = 0; i < 3; ++i) {
            if constexpr (K == 0) {
                f[mid_node(0, v)][i] += 4 * h[m][i];
                f[v][i] -= h[m][i];
                f[0][i] -= 3 * h[m][i];
            } else {
                if (K == v) {
                    f[v][i] += 3 * h[m][i];
                    f[0][i] += h[m][i];
                    f[mid_node(0, v)][i] -= 4 * h[m][i];
                } else {
                    f[0][i] += h[m][i];
                    f[v][i] -= h[m][i];
                    f[mid_node(K, v)][i] += 4 * h[m][i];
                    f[mid_node(0, K)][i] -= 4 * h[m][i];
                }
            }
        }
    }
}

/// s = lam tr(eps) I + 2 mu eps at vertex K.
template <int K, class V>
KANAME_HD inline void vertex_stress(const V (&u)[p2::kNodesPerTet10][3], const V (&G)[3][3],
                                    const V& lam, const V& mu, V (&s)[6]) {
    V d[3][3];
    reference_gradient<K>(u, d);
    V grad[3][3];  // grad[i][j] = d u_i / d x_j
    KANAME_UNROLL(3)
    for (int i = 0; i < 3; ++i) {
        KANAME_UNROLL(3)
        for (int j = 0; j < 3; ++j) {
            grad[i][j] = d[0][i] * G[0][j] + d[1][i] * G[1][j] + d[2][i] * G[2][j];
        }
    }
    const V pressure = lam * (grad[0][0] + grad[1][1] + grad[2][2]);
    const V two_mu = mu + mu;
    s[0] = pressure + two_mu * grad[0][0];
    s[1] = pressure + two_mu * grad[1][1];
    s[2] = pressure + two_mu * grad[2][2];
    s[3] = mu * (grad[1][2] + grad[2][1]);
    s[4] = mu * (grad[0][2] + grad[2][0]);
    s[5] = mu * (grad[0][1] + grad[1][0]);
}

/// s = D B u at the four vertices.
template <class V>
KANAME_HD inline void element_stress(const V (&u)[p2::kNodesPerTet10][3], const V (&G)[3][3],
                                     const V& lam, const V& mu, V (&s)[4][6]) {
    vertex_stress<0>(u, G, lam, mu, s[0]);
    vertex_stress<1>(u, G, lam, mu, s[1]);
    vertex_stress<2>(u, G, lam, mu, s[2]);
    vertex_stress<3>(u, G, lam, mu, s[3]);
}

/// div u at vertex K.
template <int K, class V>
KANAME_HD inline V vertex_dilatation(const V (&u)[p2::kNodesPerTet10][3], const V (&G)[3][3]) {
    V d[3][3];
    reference_gradient<K>(u, d);
    V sum = d[0][0] * G[0][0];
    sum += d[0][1] * G[0][1] + d[0][2] * G[0][2];
    KANAME_UNROLL(2)
    for (int m = 1; m < 3; ++m) {
        sum += d[m][0] * G[m][0] + d[m][1] * G[m][1] + d[m][2] * G[m][2];
    }
    return sum;
}

/// y[k] = int L_k div u, weight = V/20.
template <class V>
KANAME_HD inline void element_dilatation(const V (&u)[p2::kNodesPerTet10][3], const V (&G)[3][3],
                                         const V& weight, V (&y)[4]) {
    y[0] = vertex_dilatation<0>(u, G);
    y[1] = vertex_dilatation<1>(u, G);
    y[2] = vertex_dilatation<2>(u, G);
    y[3] = vertex_dilatation<3>(u, G);
    const V sum = y[0] + y[1] + y[2] + y[3];
    KANAME_UNROLL(4)
    for (int k = 0; k < 4; ++k) {
        y[k] = weight * (y[k] + sum);
    }
}

template <int K, class V>
KANAME_HD inline void add_vertex_force(const V (&t)[6], const V (&G)[3][3],
                                       V (&f)[p2::kNodesPerTet10][3]) {
    V h[3][3];
    KANAME_UNROLL(3)
    for (int m = 0; m < 3; ++m) {
        KANAME_UNROLL(3)
        for (int i = 0; i < 3; ++i) {
            h[m][i] =
                G[m][0] * t[voigt(i, 0)] + G[m][1] * t[voigt(i, 1)] + G[m][2] * t[voigt(i, 2)];
        }
    }
    scatter_reference_force<K>(h, f);
}

/// f += int B^T sigma, where sigma is linear with vertex values s that were multiplied by V/20:
/// int L_k sigma = V/20 (sigma_k + sum_j sigma_j).
template <class V>
KANAME_HD inline void add_element_force(V (&s)[4][6], const V (&G)[3][3],
                                        V (&f)[p2::kNodesPerTet10][3]) {
    KANAME_UNROLL(6)
    for (int c = 0; c < 6; ++c) {
        const V sum = s[0][c] + s[1][c] + s[2][c] + s[3][c];
        s[0][c] += sum;
        s[1][c] += sum;
        s[2][c] += sum;
        s[3][c] += sum;
    }
    add_vertex_force<0>(s[0], G, f);
    add_vertex_force<1>(s[1], G, f);
    add_vertex_force<2>(s[2], G, f);
    add_vertex_force<3>(s[3], G, f);
}

// On a straight P2 tetrahedron the displacement gradient is its mean plus three slopes,
//   d u_i / d L_m = e_m + 4 sum_n h_mn (L_n - 1/4),   m, n = 1..3, h symmetric,
// nine numbers per component instead of the twelve of four vertices, and moments of the L_n are
//   int (L_n - 1/4) (L_k - 1/4) = V/20 (delta_nk - 1/4).
// With A = sqrt(0.8 V) G and the stress s(g) = lam tr(g) I + mu (g + g^T) the forces on e and h_n
// are 1.25 A s(A e) and A (s(A h_n) - 1/4 sum_k s(A h_k)). V is any type with + - * (a SIMD
// register of sources and elements, or a plain number). Formulas: docs/theory/viscoelastic.md,
// section "Element operator in mean and slopes".

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
