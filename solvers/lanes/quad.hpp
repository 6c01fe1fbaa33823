// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/device/hd.hpp"
#include "solvers/lanes/lane_count.hpp"

namespace kaname::lanes {

/// The lanes of one number as one load of a GPU thread.
template <class T>
struct alignas(sizeof(T) * kLanes) Quad {
    T v[kLanes];
};

}  // namespace kaname::lanes
