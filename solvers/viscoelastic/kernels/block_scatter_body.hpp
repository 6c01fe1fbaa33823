// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/device/hd.hpp"
#include "solvers/lanes/lane_count.hpp"

namespace kaname::viscoelastic::body {

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
