// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/lanes/lane_count.hpp"
#include "solvers/viscoelastic/kernels/p2_vertex_body.hpp"

/// What one GPU thread of the element kernels does: one lane of one element. Tests run it on the
/// CPU against the CPU's kernel.
namespace kaname::viscoelastic::body {

/// Element arrays of ElementGroups, by slot = group * kGroup + place in the group.
template <class T, int Group>
struct ElementLane {
    const std::int32_t* conn;
    const T* coef;
    const std::int32_t* pressure_conn;  ///< null: plain P2
    const T* weight;

    KANAME_HD const std::int32_t* nodes(std::int64_t slot) const {
        return conn + slot * p2::kNodesPerTet10;
    }
    KANAME_HD T coefficient(std::int64_t slot, int m) const {
        return coef[(slot / Group * 11 + m) * Group + slot % Group];
    }
    KANAME_HD void load(std::int64_t slot, int lane, const T* x, T (&u)[10][3],
                        T (&G)[3][3]) const {
        const std::int32_t* node = nodes(slot);
        KANAME_UNROLL(10)
        for (int k = 0; k < 10; ++k) {
            const std::int64_t at = std::int64_t(node[k]) * 3 * lanes::kLanes + lane;
            KANAME_UNROLL(3)
            for (int c = 0; c < 3; ++c) {
                u[k][c] = x[at + c * lanes::kLanes];
            }
        }
        KANAME_UNROLL(9)
        for (int m = 0; m < 9; ++m) {
            G[m / 3][m % 3] = coefficient(slot, m);
        }
    }
    /// f = int B^T sigma(x) of the slot, with pressure [pressure nodes + 1][4] where it is given.
    KANAME_HD void force(std::int64_t slot, int lane, const T* x, const T* pressure,
                         T (&f)[10][3]) const {
        T u[10][3];
        T G[3][3];
        load(slot, lane, x, u, G);
        T s[4][6];
        element_stress(u, G, coefficient(slot, 9), coefficient(slot, 10), s);
        if (pressure != nullptr) {
            KANAME_UNROLL(4)
            for (int k = 0; k < 4; ++k) {
                const T p =
                    weight[slot] *
                    pressure[std::int64_t(pressure_conn[slot * 4 + k]) * lanes::kLanes + lane];
                s[k][0] += p;
                s[k][1] += p;
                s[k][2] += p;
            }
        }
        KANAME_UNROLL(10)
        for (int k = 0; k < 10; ++k) {
            f[k][0] = f[k][1] = f[k][2] = T(0);
        }
        add_element_force(s, G, f);
    }
    /// y[k] = int L_k div x of the slot.
    KANAME_HD void dilatation(std::int64_t slot, int lane, const T* x, T (&y)[4]) const {
        T u[10][3];
        T G[3][3];
        load(slot, lane, x, u, G);
        element_dilatation(u, G, weight[slot], y);
    }
};

/// Numbers between the forces of two elements in a thread block's shared memory: four more than
/// there are, so that the eight elements of a warp write to different banks.
inline constexpr int kElementStride = 30 * lanes::kLanes + (lanes::kLanes == 4 ? 4 : 1);

/// The force on one number (component and lane) of one entry of BlockNodes.
template <class T>
KANAME_HD inline T gather_places(const std::uint16_t* place, std::int32_t begin, std::int32_t end,
                                 int number, const T* forces) {
    T sum = T(0);
    for (std::int32_t p = begin; p < end; ++p) {
        const int at = place[p];
        sum += forces[at / 10 * kElementStride + at % 10 * 3 * lanes::kLanes + number];
    }
    return sum;
}

}  // namespace kaname::viscoelastic::body
