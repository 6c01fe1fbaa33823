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
    KANAME_HD static void forces(const Real (&w)[8][3], Real l, Real g, Real (&F)[8][3]) {
        // E = {}
        const Real trace = l * (w[1][0] + w[2][1] + w[4][2]), g2 = 2 * g;
        F[1][0] = trace + g2 * w[1][0];
        F[2][1] = trace + g2 * w[2][1];
        F[4][2] = trace + g2 * w[4][2];
        F[1][1] = F[2][0] = g * (w[1][1] + w[2][0]);
        F[2][2] = F[4][1] = g * (w[2][2] + w[4][1]);
        F[1][2] = F[4][0] = g * (w[1][2] + w[4][0]);
        // E = {i} brings a trace to two slots; 2 G from it and G from E = {j} meet in slot {i,j}.
        const Real l1 = 0.75F * l, g1 = 0.75F * g, g3 = 2.25F * g;
        const Real of_x = l1 * (w[3][1] + w[5][2]), of_y = l1 * (w[3][0] + w[6][2]),
                   of_z = l1 * (w[5][0] + w[6][1]);
        F[3][0] = of_y + g3 * w[3][0];
        F[3][1] = of_x + g3 * w[3][1];
        F[5][0] = of_z + g3 * w[5][0];
        F[5][2] = of_x + g3 * w[5][2];
        F[6][1] = of_z + g3 * w[6][1];
        F[6][2] = of_y + g3 * w[6][2];
        // Shears of the three E = {i}: two of them in each slot.
        const Real shear = g1 * (w[3][2] + w[5][1] + w[6][0]);
        F[3][2] = shear + g1 * w[3][2];
        F[5][1] = shear + g1 * w[5][1];
        F[6][0] = shear + g1 * w[6][0];
        // Three modes of two coordinates each share the slot {x,y,z}.
        const Real all = 0.5625F * (l + 4 * g);
        for (int c = 0; c < 3; ++c) {
            F[7][c] = all * w[7][c];
        }
    }
};

}  // namespace kaname::voxelwave
