// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/kernels/gpu_block.cuh"
#include "solvers/aderdg/kernels/squares_body.hpp"

namespace kaname::aderdg {
namespace {

using gpu::Place;
constexpr int kSquaresThreads = 256;

/// A thread block per block; modes are shared out to rows of threads, whose sums are added in
/// order.
template <class T>
__global__ void __launch_bounds__(kSquaresThreads)
    squares_kernel(const T* unknowns, int numbers, const double* mass, int modes, double* squares) {
    constexpr int kWide = kColumns<T>;
    using Me = Place<T, kSquaresThreads>;
    __shared__ double of_rows[Me::kRows][Squares::kFields][kWide];
    const Me me(0);
    double sums[Squares::kFields][1] = {};
    const T* q = unknowns + std::int64_t(blockIdx.x) * numbers * kWide + me.column;
    for (int i = me.row; i < modes; i += Me::kRows) {
        kernels::add_squares<1>(q, kWide, mass + i * modes, modes, i, sums);
    }
    for (int f = 0; f < Squares::kFields; ++f) {
        of_rows[me.row][f][me.column] = sums[f][0];
    }
    __syncthreads();
    for (int f = me.row; f < Squares::kFields; f += Me::kRows) {
        double sum = 0.0;
        for (int r = 0; r < Me::kRows; ++r) {
            sum += of_rows[r][f][me.column];
        }
        squares[(std::int64_t(blockIdx.x) * Squares::kFields + f) * kWide + me.column] = sum;
    }
}

}  // namespace

template <class T>
void squares_cuda(int N, const GpuElements<T>& elements, std::int32_t n_blocks, const double* mass,
                  double* squares, device::Queue& queue) {
    const int modes = tet_modes(N),
              numbers = modes * (kQuantities + kStresses * elements.mechanisms);
    squares_kernel<T><<<n_blocks, kSquaresThreads, 0, queue.stream().stream>>>(
        elements.unknowns, numbers, mass, modes, squares);
    device::cuda::check(cudaGetLastError(), "squares");
}

template void squares_cuda(int, const GpuElements<double>&, std::int32_t, const double*, double*,
                           device::Queue&);
template void squares_cuda(int, const GpuElements<float>&, std::int32_t, const double*, double*,
                           device::Queue&);

}  // namespace kaname::aderdg
