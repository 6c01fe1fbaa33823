// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/device/hd.hpp"

namespace kaname::voxelwave {

/// The element of OVFEM in the basis of Walsh functions (docs/theory/voxelwave.md). w[S][c]: the
/// coefficient sum_nodes (prod_{i in S} r_i) u_c, S as bits (1: x, 2: y, 4: z) without S = 0, which
/// strains nothing. F[S][c]: such that the nodal force K u is sum_S (prod_{i in S} r_i) F[S][c].
/// Real: a number, or a pack of them (constants are of single precision, which has them exactly). l
/// = lambda ds/16, g = G ds/16. With the stress basis psi_E = prod_{j in E} r_j, E = {}, {x}, {y},
/// {z}, {x,y}, {y,z}, {x,z}, the gradient d_i u_c of mode E is (3/4)^{|E|/2} w[E + i][c] in these
/// units for i not in E, else 0.
template <class Real>
struct WalshElement {
    /// Two gradients share their slot: i and j of E = {k}; adds what mode E = {k} brings to the
    /// slots {k,i} and {k,j}. a = w[k + i], b = w[k + j].
    KANAME_HD static void single(const Real* a, const Real* b, int k, int i, int j, Real l, Real g,
                                 Real* A, Real* B) {
        const Real ii = a[i], jj = b[j];
        const Real trace = l * (ii + jj);
        const Real ij = 0.75F * g * (a[j] + b[i]);
        A[i] += 0.75F * (trace + 2 * g * ii);
        B[j] += 0.75F * (trace + 2 * g * jj);
        A[j] += ij;
        B[i] += ij;
        A[k] += 0.75F * g * a[k];
        B[k] += 0.75F * g * b[k];
    }

    KANAME_HD static void forces(const Real (&w)[8][3], Real l, Real g, Real (&F)[8][3]) {
        // E = {}
        const Real trace = l * (w[1][0] + w[2][1] + w[4][2]);
        const Real xy = g * (w[1][1] + w[2][0]), yz = g * (w[2][2] + w[4][1]),
                   xz = g * (w[1][2] + w[4][0]);
        F[1][0] = trace + 2 * g * w[1][0];
        F[2][1] = trace + 2 * g * w[2][1];
        F[4][2] = trace + 2 * g * w[4][2];
        F[1][1] = F[2][0] = xy;
        F[2][2] = F[4][1] = yz;
        F[1][2] = F[4][0] = xz;
        for (int c = 0; c < 3; ++c) {
            F[3][c] = F[5][c] = F[6][c] = Real{};
        }
        single(w[3], w[5], 0, 1, 2, l, g, F[3], F[5]);
        single(w[3], w[6], 1, 0, 2, l, g, F[3], F[6]);
        single(w[5], w[6], 2, 0, 1, l, g, F[5], F[6]);
        // Three modes of two coordinates each share the slot {x,y,z}.
        const Real all = 0.5625F * (l + 4 * g);
        for (int c = 0; c < 3; ++c) {
            F[7][c] = all * w[7][c];
        }
    }
};

}  // namespace kaname::voxelwave
