// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/device/hd.hpp"
#include "solvers/lanes/row_threads.hpp"

namespace kaname::lanes::body {

/// What thread `thread` of kRowThreads adds to lane thread % kLanes of a row of y = A x.
struct DenseRow {
    const float* A;
    std::int64_t columns;
    const float* x;
    KANAME_HD void operator()(std::int64_t row, int thread, float (&sum)[1]) const {
        const int lane = thread % kLanes;
        sum[0] = 0.0F;
        for (std::int64_t k = thread / kLanes; k < columns; k += kRowStride) {
            sum[0] += A[row * columns + k] * x[k * kLanes + lane];
        }
    }
};

}  // namespace kaname::lanes::body
