// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/bcrs_body.hpp"
#include "solvers/lanes/for_each.cuh"

namespace kaname::lanes {
namespace {

/// Sums over so many neighbouring threads: of four lanes each thread gets one (halves are handed
/// over twice), lane_of(thread); then whole sums are with every Threads / L-th thread.
template <int R, int L, int Threads>
struct SumOfThreads {
    static_assert(L == 1 || L == 4);
    static constexpr int kEach = Threads / L;  ///< threads that end with the same lane

    __device__ static void run(const LaneArray<float, L> (&v)[R], int thread, float (&sum)[R]) {
#pragma unroll
        for (int i = 0; i < R; ++i) {
            if constexpr (L == 4) {
                const bool high = (thread & Threads / 2) != 0;
                const bool odd = (thread & Threads / 4) != 0;
                const float even_part = (high ? v[i][2] : v[i][0]) +
                                        exchanged(high ? v[i][0] : v[i][2], Threads / 2);
                const float odd_part = (high ? v[i][3] : v[i][1]) +
                                       exchanged(high ? v[i][1] : v[i][3], Threads / 2);
                sum[i] = (odd ? odd_part : even_part) +
                         exchanged(odd ? even_part : odd_part, Threads / 4);
            } else {
                sum[i] = v[i][0];
            }
#pragma unroll
            for (int offset = kEach / 2; offset > 0; offset /= 2) {
                sum[i] += exchanged(sum[i], offset);
            }
        }
    }
    __device__ static float exchanged(float value, int offset) {
        return __shfl_xor_sync(0xffffffffU, value, offset);
    }
};

template <int R, int C>
__global__ void __launch_bounds__(device::cuda::kThreads)
    bcrs_kernel(std::int64_t rows, body::BcrsColumns<R, C> A, float* y, bool add) {
    constexpr int kThreads = body::kRowThreads<R, C>;
    using Sum = SumOfThreads<R, kLanes, kThreads>;
    const std::int64_t row =
        (std::int64_t(blockIdx.x) * device::cuda::kThreads + threadIdx.x) / kThreads;
    const int thread = threadIdx.x % kThreads;
    LaneArray<float, kLanes> part[R] = {};
    if (row < rows) {
        A(row, thread, part);
    }
    float sum[R];
    Sum::run(part, thread, sum);
    if (row < rows && thread % Sum::kEach == 0) {
        float* out = y + row * R * kLanes + thread / Sum::kEach;
#pragma unroll
        for (int i = 0; i < R; ++i) {
            out[i * kLanes] = add ? out[i * kLanes] + sum[i] : sum[i];
        }
    }
}

}  // namespace

template <int R, int C>
void bcrs_rows_cuda(std::int64_t rows, const body::BcrsRow<R, C>& A, float* y, bool add,
                    device::Queue& queue) {
    if (rows > 0) {
        const std::int64_t blocks = device::cuda::blocks_for(rows * body::kRowThreads<R, C>);
        bcrs_kernel<R, C><<<blocks, device::cuda::kThreads, 0, queue.stream().stream>>>(
            rows, body::BcrsColumns<R, C>{A}, y, add);
        device::cuda::check(cudaGetLastError(), A.kName);
    }
}

#define KANAME_INSTANTIATE(R)                                                             \
    template void bcrs_rows_cuda(std::int64_t, const body::BcrsRow<R, 3>&, float*, bool,  \
                                 device::Queue&);                                         \
    template void bcrs_rows_cuda(std::int64_t, const body::BcrsRow<R, 6>&, float*, bool,  \
                                 device::Queue&);                                         \
    KANAME_FOR_EACH_CUDA(body::BlockDiagonal<R>)                                            \
    KANAME_FOR_EACH_CUDA(body::ChebyshevStep<R, Previous::None>)                            \
    KANAME_FOR_EACH_CUDA(body::ChebyshevStep<R, Previous::Zero>)                            \
    KANAME_FOR_EACH_CUDA(body::ChebyshevStep<R, Previous::Given>)
KANAME_INSTANTIATE(3)
KANAME_INSTANTIATE(6)
#undef KANAME_INSTANTIATE

}  // namespace kaname::lanes
