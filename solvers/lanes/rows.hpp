// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/device/queue.hpp"
#include "solvers/lanes/lanes.hpp"

namespace kaname::lanes {

template <class Body>
void for_each_row_cpu(std::int64_t rows, Body body, typename Body::Number* y, bool add) {
    constexpr int R = Body::kNumbers;
    const AllLanes<Body::kLanes> share;
#pragma omp parallel for schedule(static) firstprivate(body)
    for (std::int64_t row = 0; row < rows; ++row) {
        Lanes<typename Body::Number, Body::kLanes> sum[R] = {};
        for (int i = 0; i < R && add; ++i) {
            sum[i] = share.load(y, row * R + i);
        }
        body(row, 0, 1, share, sum);
        for (int i = 0; i < R; ++i) {
            share.store(y, row * R + i, sum[i]);
        }
    }
}

/// Defined in rows.cuh, instantiated in the .cu file of the body's kernels.
template <class Body>
void for_each_row_cuda(std::int64_t rows, const Body& body, typename Body::Number* y, bool add,
                       device::Queue& queue);

/// y [rows][R] of all lanes = (or +=) the sums of the rows' terms:
/// body(row, first, stride, share, sum) adds the terms first, first + stride ... of a row to
/// sum [R]. On the CPU a row is one call, on a GPU the threads of a warp have a part each, of one
/// lane, which are added in a fixed order.
template <class Body>
void for_each_row(device::Queue& queue, std::int64_t rows, const Body& body,
                  typename Body::Number* y, bool add) {
    KANAME_DISPATCH(queue, for_each_row, rows, body, y, add)
}

}  // namespace kaname::lanes
