// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/device/cuda/launch.cuh"
#include "solvers/voxelwave/kernels/step_args.hpp"

namespace kaname::voxelwave {
namespace {

constexpr int kNumbers = 24;
constexpr int kMatrixThreads = 128;  ///< each with up to 255 registers

template <class T>
__global__ void __launch_bounds__(kMatrixThreads)
    matrix_forces_kernel(StepArgs<T> args, const __grid_constant__ MatrixPair<T> matrices,
                         std::int64_t n, T* force) {
    const std::int64_t item = std::int64_t(blockIdx.x) * kMatrixThreads + threadIdx.x;
    if (item >= n) {
        return;
    }
    int at[3];
    args.place(item, at);
    T v[kNumbers];
#pragma unroll
    for (int k = 0; k < kNumbers; ++k) {
        v[k] = args.strained(args.corner(at, k / 3, k % 3));
    }
    const T* moduli = args.moduli + 2 * args.solid(at);
    const T kappa = moduli[0], shear = moduli[1];
#pragma unroll
    for (int row = 0; row < kNumbers; ++row) {
        T bulk = 0, rest = 0;
#pragma unroll
        for (int k = 0; k < kNumbers; ++k) {
            bulk += matrices.per_kappa[row * kNumbers + k] * v[k];
            rest += matrices.per_shear[row * kNumbers + k] * v[k];
        }
        force[row * n + item] = kappa * bulk + shear * rest;
    }
}

/// A thread per node and lane. Corners: 8, of forces of voxels; 4, of those of rows of voxels.
template <class T, int Corners>
struct NodeUpdate {
    StepArgs<T> args;
    const T* force;

    __device__ void operator()(std::int64_t i) const {
        const FieldShape& shape = args.shape;
        const auto row = static_cast<unsigned>(shape.row_length());
        // From the last node back: what the forces' kernel wrote last is in the cache still.
        const unsigned node = row * shape.nodes[1] * shape.nodes[2] - 1 - static_cast<unsigned>(i);
        const auto line = static_cast<int>(node / row);
        const auto place = static_cast<int>(node - line * row);
        const int z = line / shape.nodes[1], y = line - z * shape.nodes[1];
        const int x = place / shape.lanes;
        constexpr int kAlongX = Corners == 8 ? 1 : 0;
        const int length = row - kAlongX * shape.lanes;  // of forces
        const std::int64_t items = length * shape.voxel_rows();
        T sum[3] = {};
#pragma unroll
        for (int corner = 0; corner < Corners; ++corner) {  // of the voxel which has the node there
            const int dx = kAlongX * (corner & 1);
            const int vx = x - dx, vy = y - (corner >> kAlongX & 1),
                      vz = z - (corner >> (1 + kAlongX));
            const bool exists = vx >= 0 && vy >= 0 && vz >= 0 && vx + kAlongX < shape.nodes[0] &&
                                vy + 1 < shape.nodes[1] && vz + 1 < shape.nodes[2];
            const unsigned item = static_cast<unsigned>(vz * (shape.nodes[1] - 1) + vy) * length +
                                  place - dx * shape.lanes;
#pragma unroll
            for (int c = 0; c < 3; ++c) {
                sum[c] += exists ? (force + std::int64_t(3 * corner + c) * items)[item] : T(0);
            }
        }
        const T keep = args.keep[0][x] * args.keep[1][y] * args.keep[2][z];
        const T scale = args.scale[std::int64_t(line) * shape.nodes[0] + x];
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            const std::size_t at = shape.at(c, z, y, place);
            args.next[at] = args.u[at] + keep * (args.u[at] - args.before[at]) - scale * sum[c];
        }
    }
};

}  // namespace

template <class T>
void matrix_forces_cuda(const StepArgs<T>& args, const MatrixPair<T>& matrices, T* force,
                        device::Queue& queue) {
    const std::int64_t n = args.shape.n_items();
    matrix_forces_kernel<T>
        <<<device::cuda::blocks_for(n, kMatrixThreads), kMatrixThreads, 0, queue.stream().stream>>>(
            args, matrices, n, force);
    device::cuda::check(cudaGetLastError(), "matrix_forces");
}

template <class T>
void node_update_cuda(const StepArgs<T>& args, const T* force, int corners, device::Queue& queue) {
    const FieldShape& shape = args.shape;
    const std::int64_t n = std::int64_t(shape.row_length()) * shape.nodes[1] * shape.nodes[2];
    if (corners == 8) {
        device::cuda::for_each(n, NodeUpdate<T, 8>{args, force}, "node_update", queue);
    } else {
        device::cuda::for_each(n, NodeUpdate<T, 4>{args, force}, "node_update", queue);
    }
}

template void matrix_forces_cuda(const StepArgs<double>&, const MatrixPair<double>&, double*,
                                 device::Queue&);
template void matrix_forces_cuda(const StepArgs<float>&, const MatrixPair<float>&, float*,
                                 device::Queue&);
template void node_update_cuda(const StepArgs<double>&, const double*, int, device::Queue&);
template void node_update_cuda(const StepArgs<float>&, const float*, int, device::Queue&);

}  // namespace kaname::voxelwave
