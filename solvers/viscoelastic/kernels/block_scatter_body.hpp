// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/lanes/lane_array.hpp"
#include "solvers/lanes/lane_count.hpp"

namespace kaname::viscoelastic::body {

/// Numbers of all lanes from one element's forces to the next in a thread block's shared memory:
/// one more than there are, so that the elements of a warp write to different banks.
inline constexpr int kElementNumbers = 31;
inline constexpr int kElementStride = kElementNumbers * lanes::kLanes;

/// Where a place of BlockNodes (element in its block, node in the element) has its first component.
KANAME_HD constexpr int offset_of_place(int element, int node) {
    return element * kElementNumbers + 3 * node;
}

/// Component `comp` of the force on one entry of BlockNodes, all lanes: 16 bytes at once in FP32.
template <class T, int L = lanes::kLanes>
KANAME_HD inline lanes::LaneArray<T, L> gather_places(const std::uint16_t* place,
                                                      std::int32_t begin, std::int32_t end,
                                                      int comp,
                                                      const lanes::LaneArray<T, L>* forces) {
    lanes::LaneArray<T, L> sum = lanes::LaneArray<T, L>::each([](int) { return T(0); });
    for (std::int32_t p = begin; p < end; ++p) {
        sum += forces[place[p] + comp];
    }
    return sum;
}

}  // namespace kaname::viscoelastic::body
