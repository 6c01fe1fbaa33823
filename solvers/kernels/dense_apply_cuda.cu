// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/device/cuda/launch.cuh"
#include "solvers/kernels/dense_apply.hpp"
#include "solvers/kernels/dense_body.hpp"

namespace kaname::kernels {
namespace {

using body::kDenseThreads;
constexpr int kRowsPerBlock = device::cuda::kThreads / kDenseThreads;

__global__ void __launch_bounds__(device::cuda::kThreads)
    dense_kernel(std::int64_t rows, body::DenseRow body, float* y) {
    const std::int64_t row =
        std::int64_t(blockIdx.x) * kRowsPerBlock + threadIdx.x / kDenseThreads;
    if (row >= rows) {
        return;  // whole warps
    }
    const int thread = threadIdx.x % kDenseThreads;
    float sum = body(row, thread);
    for (int offset = kDenseThreads / 2; offset >= kLanes; offset /= 2) {
        sum += __shfl_down_sync(0xffffffffU, sum, offset);
    }
    if (thread < kLanes) {
        y[row * kLanes + thread] = sum;
    }
}

}  // namespace

void dense_apply_cuda(device::View<const float> A, device::View<const float> x,
                      device::View<float> y, device::Queue& queue) {
    const auto rows = static_cast<std::int64_t>(y.size()) / kLanes;
    if (rows > 0) {
        const body::DenseRow body{A.data(), static_cast<std::int64_t>(x.size()) / kLanes,
                                  x.data()};
        dense_kernel<<<device::cuda::blocks_for(rows, kRowsPerBlock), device::cuda::kThreads, 0,
                       queue.stream().stream>>>(rows, body, y.data());
        device::cuda::check(cudaGetLastError(), "dense_apply");
    }
}

}  // namespace kaname::kernels
