// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "solvers/device/cuda/launch.cuh"
#include "solvers/linalg/sketch_body.hpp"

namespace kaname::linalg {
namespace {

using lanes::kLanes;

constexpr int kMostThreads = 256;
constexpr int kWarp = 32;

/// Threads of a bucket: four numbers each, of all lanes.
int threads_for(const SketchLists& lists) {
    const std::size_t numbers = lists.entry.size() / lists.buckets;
    const std::size_t warps = numbers * kLanes / (4 * kWarp);
    return static_cast<int>(std::clamp<std::size_t>(warps, 1, kMostThreads / kWarp)) * kWarp;
}

/// A block per bucket: some thousand buckets of a few hundred numbers or more, read from all over
/// the vector, need every thread that a GPU holds. Sums repeat: fixed threads, fixed order.
__global__ void __launch_bounds__(kMostThreads)
    sketch_kernel(body::SketchBucket<> bucket, double* sums) {
    __shared__ double of_warp[kMostThreads / kWarp * kLanes];
    const int thread = threadIdx.x;
    double sum[1] = {};
    const int threads = static_cast<int>(blockDim.x);
    bucket(blockIdx.x, thread / kLanes, threads / kLanes, lanes::OneLane<kLanes>{thread % kLanes},
           sum);
#pragma unroll
    for (int offset = kWarp / 2; offset >= kLanes; offset /= 2) {
        sum[0] += __shfl_down_sync(0xffffffffU, sum[0], offset);
    }
    if (thread % kWarp < kLanes) {
        of_warp[thread / kWarp * kLanes + thread % kWarp] = sum[0];
    }
    __syncthreads();
    if (thread < kLanes) {
        double total = 0.0;
        for (int warp = 0; warp < threads / kWarp; ++warp) {
            total += of_warp[warp * kLanes + thread];
        }
        sums[std::int64_t(blockIdx.x) * kLanes + thread] = total;
    }
}

}  // namespace

void sketch_cuda(const SketchLists& lists, device::View<const double> v, device::View<double> sums,
                 device::Queue& queue) {
    const body::SketchBucket<> bucket{lists.ptr.data(), lists.entry.data(), v.data()};
    sketch_kernel<<<lists.buckets, threads_for(lists), 0, queue.stream().stream>>>(bucket,
                                                                                   sums.data());
    device::cuda::check(cudaGetLastError(), "sketch");
}

}  // namespace kaname::linalg
