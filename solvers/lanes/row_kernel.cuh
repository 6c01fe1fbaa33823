// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/device/cuda/launch.cuh"
#include "solvers/lanes/row_threads.hpp"

namespace kaname::lanes {

/// One warp per row, so that what a row's threads read side by side comes in whole lines:
/// body(row, thread, sum) gives what one of kRowThreads threads adds to the R numbers of lane
/// thread % kLanes. The warp sums in a fixed order.
template <class T, int R, class Body>
__global__ void __launch_bounds__(device::cuda::kThreads)
    row_kernel(std::int64_t rows, Body body, T* y, bool add) {
    const std::int64_t row =
        (std::int64_t(blockIdx.x) * device::cuda::kThreads + threadIdx.x) / kRowThreads;
    if (row >= rows) {
        return;  // whole warps
    }
    const int thread = threadIdx.x % kRowThreads;
    T sum[R];
    body(row, thread, sum);
#pragma unroll
    for (int i = 0; i < R; ++i) {
#pragma unroll
        for (int offset = kRowThreads / 2; offset >= kLanes; offset /= 2) {
            sum[i] += __shfl_down_sync(0xffffffffU, sum[i], offset);
        }
    }
    if (thread < kLanes) {
        T* out = y + row * R * kLanes + thread;
#pragma unroll
        for (int i = 0; i < R; ++i) {
            out[i * kLanes] = add ? out[i * kLanes] + sum[i] : sum[i];
        }
    }
}

/// y [rows][R][4] = (or +=) the sums.
template <int R, class T, class Body>
void for_each_row(std::int64_t rows, const Body& body, T* y, bool add, const char* name,
                  device::Queue& queue) {
    if (rows > 0) {
        row_kernel<T, R><<<device::cuda::blocks_for(rows * kRowThreads), device::cuda::kThreads, 0,
                           queue.stream().stream>>>(rows, body, y, add);
        device::cuda::check(cudaGetLastError(), name);
    }
}

}  // namespace kaname::lanes
