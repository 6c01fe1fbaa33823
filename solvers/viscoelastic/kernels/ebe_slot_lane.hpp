// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/device/hd.hpp"
#include "solvers/lanes/lanes.hpp"
#include "solvers/p2/dof_map.hpp"

namespace kaname::viscoelastic {

/// Element arrays of ElementGroups for the threads of a GPU, which know no buffers.
template <class T>
struct ElementSlots {
    const std::int32_t* conn;
    const T* coef;
    const std::int32_t* pressure_conn;  ///< null: plain P2
    const T* pressure_weight;

    KANAME_HD const std::int32_t* nodes(std::int64_t slot) const {
        return conn + slot * p2::kNodesPerTet10;
    }
};

/// One lane of slot = group * Group + place in the group: what a GPU's thread reads, a reader of
/// ebe_apply_body.hpp.
template <class T, int Group, int L = lanes::kLanes>
struct SlotLane {
    using V = T;
    ElementSlots<T> all;
    std::int64_t slot;
    int lane;

    KANAME_HD void component(const T* x, int i, T (&u)[p2::kNodesPerTet10]) const {
        const std::int32_t* node = all.nodes(slot);
        KANAME_UNROLL(10)
        for (int k = 0; k < p2::kNodesPerTet10; ++k) {
            u[k] = x[(std::int64_t(node[k]) * 3 + i) * L + lane];
        }
    }
    KANAME_HD T coefficient(int m) const {
        return all.coef[(slot / Group * 11 + m) * Group + slot % Group];
    }
    KANAME_HD T weight() const { return all.pressure_weight[slot]; }
    KANAME_HD T pressure(const T* p, int k) const {
        return p[std::int64_t(all.pressure_conn[slot * 4 + k]) * L + lane];
    }
};

}  // namespace kaname::viscoelastic
