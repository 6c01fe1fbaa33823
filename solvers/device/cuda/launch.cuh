// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/device/cuda/stream.cuh"

namespace kaname::device::cuda {

/// Threads per block of kernels that treat items one by one: divides the registers of every
/// multiprocessor since Volta evenly, and eight warps hide the latency of streams.
inline constexpr int kThreads = 256;

inline std::int64_t blocks_for(std::int64_t items, int threads = kThreads) {
    return (items + threads - 1) / threads;
}

template <class Body>
__global__ void __launch_bounds__(kThreads) for_each_kernel(std::int64_t n, Body body) {
    const std::int64_t i = std::int64_t(blockIdx.x) * kThreads + threadIdx.x;
    if (i < n) {
        body(i);
    }
}

/// body(i) for i in [0, n); body is copied to the GPU. Checks the launch, not the run.
template <class Body>
void for_each(std::int64_t n, const Body& body, const char* name, Queue& queue) {
    if (n > 0) {
        for_each_kernel<<<blocks_for(n), kThreads, 0, queue.stream().stream>>>(n, body);
        check(cudaGetLastError(), name);
    }
}

}  // namespace kaname::device::cuda
