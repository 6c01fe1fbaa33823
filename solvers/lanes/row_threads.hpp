// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/lanes/lane_count.hpp"

namespace kaname::lanes {

/// Threads of a GPU that share a row (a matrix row, a bucket): a warp, each with one lane.
inline constexpr int kRowThreads = 32;
/// Terms of the row that they take at once.
inline constexpr int kRowStride = kRowThreads / kLanes;

}  // namespace kaname::lanes
