// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/lanes/lanes.hpp"
#include "solvers/p2/dof_map.hpp"

namespace kaname::viscoelastic::body {

/// Numbers of all lanes from one element's forces to the next in a thread block's shared memory:
/// one more than there are, so that the elements of a warp write to different banks.
inline constexpr int kElementNumbers = 31;
inline constexpr int kElementStride = kElementNumbers * lanes::kLanes;

/// Where a place of BlockNodes (element in its block, node in the element) has its first component.
KANAME_HD constexpr int offset_of_place(int element, int node) {
    return element * kElementNumbers + 3 * node;
}

/// slot * 10 + node in it of offset_of_place(slot, node).
KANAME_HD constexpr int slot_node_of_place(int place) {
    return place / kElementNumbers * p2::kNodesPerTet10 + place % kElementNumbers / 3;
}

/// Where the numbers of a block's entry begin in shared memory, in numbers of all lanes.
KANAME_HD constexpr int staged_place(int entry) {
    return 3 * entry;
}

/// A block's lists as a row of words:
///   first group, group behind the last, n, 0; node [n]; in halves of words begin [n + 1] of the
///   entries' places, place.
struct BlockRow {
    static constexpr int kHeader = 4;
    const std::int32_t* words;

    KANAME_HD std::int32_t first_group() const { return words[0]; }
    KANAME_HD std::int32_t end_group() const { return words[1]; }
    KANAME_HD std::int32_t n_nodes() const { return words[2]; }
    KANAME_HD std::int32_t node(int entry) const { return words[kHeader + entry]; }
    KANAME_HD const std::uint16_t* begin() const {
        return reinterpret_cast<const std::uint16_t*>(words + kHeader + n_nodes());
    }
    KANAME_HD const std::uint16_t* place() const { return begin() + n_nodes() + 1; }
};

/// Number `at` of the force on one entry of a block: component `comp` with all lanes (16 bytes at
/// once in FP32) where V is a LaneArray, or one lane of it.
template <class V>
KANAME_HD inline V gather_places(const BlockRow& row, int entry, int at, const V* forces,
                                 int numbers_of_place = 1) {
    V sum{};
    const std::uint16_t* place = row.place();
    const int end = row.begin()[entry + 1];
    for (int p = row.begin()[entry]; p < end; ++p) {
        sum += forces[place[p] * numbers_of_place + at];
    }
    return sum;
}

}  // namespace kaname::viscoelastic::body
