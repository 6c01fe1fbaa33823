// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/device/cuda/launch.cuh"
#include "solvers/lanes/share.hpp"

namespace kaname::lanes {

/// Threads that share a row: a warp, so that what they read side by side comes in whole lines.
inline constexpr int kRowThreads = 32;

template <class Body>
__global__ void __launch_bounds__(device::cuda::kThreads)
    row_kernel(std::int64_t rows, Body body, typename Body::Number* y, bool add) {
    constexpr int R = Body::kNumbers;
    constexpr int L = Body::kLanes;
    const std::int64_t row =
        (std::int64_t(blockIdx.x) * device::cuda::kThreads + threadIdx.x) / kRowThreads;
    if (row >= rows) {
        return;  // whole warps
    }
    const int thread = threadIdx.x % kRowThreads;
    typename Body::Number sum[R] = {};
    body(row, thread / L, kRowThreads / L, OneLane<L>{thread % L}, sum);
#pragma unroll
    for (int i = 0; i < R; ++i) {
#pragma unroll
        for (int offset = kRowThreads / 2; offset >= L; offset /= 2) {
            sum[i] += __shfl_down_sync(0xffffffffU, sum[i], offset);
        }
    }
    if (thread < L) {
        typename Body::Number* out = y + row * R * L + thread;
#pragma unroll
        for (int i = 0; i < R; ++i) {
            out[i * L] = add ? out[i * L] + sum[i] : sum[i];
        }
    }
}

template <class Body>
void for_each_row_cuda(std::int64_t rows, const Body& body, typename Body::Number* y, bool add,
                       device::Queue& queue) {
    if (rows > 0) {
        row_kernel<<<device::cuda::blocks_for(rows * kRowThreads), device::cuda::kThreads, 0,
                     queue.stream().stream>>>(rows, body, y, add);
        device::cuda::check(cudaGetLastError(), Body::kName);
    }
}

/// The GPU's instance of for_each_row for a body; arguments are the body's type.
#define KANAME_FOR_EACH_ROW_CUDA(...)                                                 \
    template void for_each_row_cuda<__VA_ARGS__>(std::int64_t, const __VA_ARGS__&,    \
                                                 typename __VA_ARGS__::Number*, bool, \
                                                 ::kaname::device::Queue&);

}  // namespace kaname::lanes
