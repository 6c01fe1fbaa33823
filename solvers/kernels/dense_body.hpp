// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/device/hd.hpp"
#include "solvers/kernels/lane_count.hpp"

namespace kaname::kernels::body {

/// Threads that share a row of y = A x: each takes every (kDenseThreads / kLanes)th column.
inline constexpr int kDenseThreads = 32;

/// What thread `thread` of kDenseThreads adds to lane thread % kLanes of the row.
struct DenseRow {
    const float* A;
    std::int64_t columns;
    const float* x;
    KANAME_HD float operator()(std::int64_t row, int thread) const {
        const int lane = thread % kLanes;
        float sum = 0.0F;
        for (std::int64_t k = thread / kLanes; k < columns; k += kDenseThreads / kLanes) {
            sum += A[row * columns + k] * x[k * kLanes + lane];
        }
        return sum;
    }
};

}  // namespace kaname::kernels::body
