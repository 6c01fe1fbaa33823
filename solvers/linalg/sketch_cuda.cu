// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/device/cuda/launch.cuh"
#include "solvers/linalg/sketch_kernels.hpp"

namespace kaname::linalg {
namespace {

using body::kSketchThreads;
constexpr int kBucketsPerBlock = device::cuda::kThreads / kSketchThreads;

__global__ void __launch_bounds__(device::cuda::kThreads)
    sketch_kernel(std::int64_t buckets, body::SketchBucket body, double* sums) {
    const std::int64_t bucket =
        std::int64_t(blockIdx.x) * kBucketsPerBlock + threadIdx.x / kSketchThreads;
    if (bucket >= buckets) {
        return;  // whole warps
    }
    const int thread = threadIdx.x % kSketchThreads;
    double sum = body(bucket, thread);
    for (int offset = kSketchThreads / 2; offset >= kernels::kLanes; offset /= 2) {
        sum += __shfl_down_sync(0xffffffffU, sum, offset);
    }
    if (thread < kernels::kLanes) {
        sums[bucket * kernels::kLanes + thread] = sum;
    }
}

}  // namespace

void sketch_cuda(const SketchLists& lists, device::View<const double> v, device::View<double> sums,
                 device::Queue& queue) {
    const body::SketchBucket body{lists.ptr.data(), lists.entry.data(), v.data()};
    sketch_kernel<<<device::cuda::blocks_for(lists.buckets, kBucketsPerBlock),
                    device::cuda::kThreads, 0, queue.stream().stream>>>(lists.buckets, body,
                                                                        sums.data());
    device::cuda::check(cudaGetLastError(), "sketch");
}

}  // namespace kaname::linalg
