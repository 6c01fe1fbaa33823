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
                const float even_part =
                    (high ? v[i][2] : v[i][0]) + exchanged(high ? v[i][0] : v[i][2], Threads / 2);
                const float odd_part =
                    (high ? v[i][3] : v[i][1]) + exchanged(high ? v[i][1] : v[i][3], Threads / 2);
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

/// Number i of a row goes to one of the threads that have its sums: what they read and write beside
/// A x lies side by side.
template <int R, int C, class End>
__global__ void __launch_bounds__(device::cuda::kThreads, R == 3 ? 6 : 4)
    bcrs_kernel(std::int64_t rows, body::BcrsColumns<R, C> A, End end) {
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
    if (row >= rows) {
        return;
    }
    const OneLane<kLanes> share{thread / Sum::kEach};
    const int mine = thread % Sum::kEach;
    if constexpr (requires { end.prepare(row, share, sum); }) {
        end.prepare(row, share, sum);
    }
#pragma unroll
    for (int first = 0; first < R; first += Sum::kEach) {
        float own = sum[first];
#pragma unroll
        for (int i = 1; i < Sum::kEach && first + i < R; ++i) {
            own = mine == i ? sum[first + i] : own;
        }
        if (first + mine < R) {
            end(row, first + mine, share, sum, own);
        }
    }
}

}  // namespace

template <int R, int C, class End>
void bcrs_rows_cuda(std::int64_t rows, const body::BcrsRow<R, C>& A, const End& end,
                    device::Queue& queue) {
    if (rows > 0) {
        const std::int64_t blocks = device::cuda::blocks_for(rows * body::kRowThreads<R, C>);
        bcrs_kernel<R, C><<<blocks, device::cuda::kThreads, 0, queue.stream().stream>>>(
            rows, body::BcrsColumns<R, C>{A}, end);
        device::cuda::check(cudaGetLastError(), A.kName);
    }
}

#define KANAME_ROWS(R, C, ...)                                             \
    template void bcrs_rows_cuda(std::int64_t, const body::BcrsRow<R, C>&, \
                                 const body::__VA_ARGS__&, device::Queue&);
#define KANAME_INSTANTIATE(R)                                    \
    KANAME_ROWS(R, 3, RowResult<R>)                              \
    KANAME_ROWS(R, 6, RowResult<R>)                              \
    KANAME_ROWS(R, R, RowResidual<R>)                            \
    KANAME_ROWS(R, R, RowStep<R, Previous::None>)                \
    KANAME_ROWS(R, R, RowStep<R, Previous::Zero>)                \
    KANAME_ROWS(R, R, RowStep<R, Previous::Given>)               \
    KANAME_FOR_EACH_CUDA(body::BlockDiagonal<R>)                 \
    KANAME_FOR_EACH_CUDA(body::ChebyshevStep<R, Previous::None>) \
    KANAME_FOR_EACH_CUDA(body::ChebyshevStep<R, Previous::Zero>) \
    KANAME_FOR_EACH_CUDA(body::ChebyshevStep<R, Previous::Given>)
KANAME_INSTANTIATE(3)
KANAME_INSTANTIATE(6)
#undef KANAME_INSTANTIATE
#undef KANAME_ROWS

}  // namespace kaname::lanes
