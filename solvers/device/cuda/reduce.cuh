// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "solvers/device/cuda/launch.cuh"

namespace kaname::device::cuda {

/// Sums K numbers over the threads of a block; the result is in thread 0. `shared` [K][warps].
template <int K>
__device__ void block_sum(double (&value)[K], double* shared) {
    constexpr int kWarps = kThreads / 32;
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
#pragma unroll
    for (int k = 0; k < K; ++k) {
        for (int offset = 16; offset > 0; offset /= 2) {
            value[k] += __shfl_down_sync(0xffffffffU, value[k], offset);
        }
        if (lane == 0) {
            shared[k * kWarps + warp] = value[k];
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
#pragma unroll
        for (int k = 0; k < K; ++k) {
            value[k] = 0.0;
            for (int w = 0; w < kWarps; ++w) {
                value[k] += shared[k * kWarps + w];
            }
        }
    }
}

/// Blocks of a reduction per multiprocessor, all resident together: they have 32 to 64 KiB under
/// way, more would only add partial sums.
inline constexpr int kReduceBlocks = 4;

/// body(i, sum) adds item i to sum [K], for i in [0, n): threads take fixed items, partial sums are
/// added in a fixed order by the block that comes last, so that results repeat. One launch;
/// `result` is the host's pinned memory, which saves a copy of its own.
template <int K, class Body>
__global__ void __launch_bounds__(kThreads, kReduceBlocks)
    reduce_kernel(std::int64_t n, Body body, double* partial, double* result,
                  unsigned int* counter) {
    __shared__ double shared[K * (kThreads / 32)];
    __shared__ bool last;
    double sum[K] = {};
    const std::int64_t stride = std::int64_t(gridDim.x) * kThreads;
    std::int64_t i = std::int64_t(blockIdx.x) * kThreads + threadIdx.x;
    for (; i + stride < n; i += 2 * stride) {  // two items' loads under way
        body(i, sum);
        body(i + stride, sum);
    }
    if (i < n) {
        body(i, sum);
    }
    block_sum<K>(sum, shared);
    if (threadIdx.x == 0) {
        for (int k = 0; k < K; ++k) {
            partial[blockIdx.x * K + k] = sum[k];
        }
        __threadfence();
        last = atomicAdd(counter, 1U) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) {
        return;
    }
    __threadfence();
    double total[K] = {};
    for (int block = threadIdx.x; block < gridDim.x; block += kThreads) {
        for (int k = 0; k < K; ++k) {
            total[k] += __ldcg(partial + block * K + k);  // others' sums: past this one's L1
        }
    }
    __syncthreads();
    block_sum<K>(total, shared);
    if (threadIdx.x == 0) {
        for (int k = 0; k < K; ++k) {
            result[k] = total[k];
        }
        *counter = 0;
    }
}

/// Sums on the host, when it returns: the one place where vector kernels wait for the GPU.
template <int K, class Body>
void reduce(std::int64_t n, const Body& body, double* result, const char* name, Queue& queue) {
    static_assert(K <= int(Queue::Stream::kPinnedNumbers));
    constexpr int kMostBlocks = 1024;
    Queue::Stream& stream = queue.stream();
    const auto blocks = static_cast<int>(
        std::min<std::int64_t>({blocks_for(n) > 0 ? blocks_for(n) : 1,
                                kReduceBlocks * stream.multiprocessors, kMostBlocks}));
    auto* partial = static_cast<double*>(stream.scratch);
    static_assert(kMostBlocks * K * sizeof(double) <= Queue::Stream::kScratchBytes);
    reduce_kernel<K>
        <<<blocks, kThreads, 0, stream.stream>>>(n, body, partial, stream.pinned, stream.counter);
    check(cudaGetLastError(), name);
    queue.synchronize();
    std::copy_n(stream.pinned, K, result);
}

}  // namespace kaname::device::cuda
