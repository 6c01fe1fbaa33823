// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/device/cuda/launch.cuh"
#include "solvers/device/once_per_device.hpp"
#include "solvers/voxelwave/kernels/walsh_column.cuh"
#include "solvers/voxelwave/kernels/walsh_tile.hpp"
#include "solvers/voxelwave/walsh_element.hpp"

namespace kaname::voxelwave {
namespace {

using namespace walsh;

template <class T>
struct alignas(2 * sizeof(T)) Moduli {
    T l, g;
};

template <class T, int Rows, int Threads>
__global__ void __launch_bounds__(Threads, kWalshResident / Threads)
    walsh_tile_kernel(StepArgs<T> args, WalshTile tile) {
    using At = Place<Rows, Threads>;
    extern __shared__ __align__(16) unsigned char memory[];
    T* shared = reinterpret_cast<T*>(memory);
    const Columns<Rows, Threads> columns(args.shape, tile);
    const auto inside = [](int at, int n) { return Columns<Rows, Threads>::inside(at, n); };
    const int lanes = args.shape.lanes, width = tile.columns * lanes, x = columns.x;
    const int nx = args.shape.nodes[0], ny = args.shape.nodes[1], nz = args.shape.nodes[2];
    const unsigned nodes = nx * ny, voxels = (nx - 1) * (ny - 1);  // of a plane, of a layer
    unsigned node[Rows], voxel[Rows], solid[Rows];
    T keep[Rows];
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
        const int y = columns.y[r];
        node[r] = y * nx + x;
        voxel[r] = inside(y, ny - 1) * (nx - 1) + inside(x, nx - 1);
        solid[r] = args.solid_of[inside(columns.z0 - 1, nz - 1) * voxels + voxel[r]];
        keep[r] = args.keep[0][x] * args.keep[1][y];
    }
    T first[Rows][4][3], second[Rows][4][3];  // transforms of node planes z, z + 1
    T carried[Rows][4][3] = {};               // forces of layer z - 1 on plane z, transformed
    T known[Rows][3] = {};                    // u+ of plane z - 1 but for the neighbours' forces
    T scale[Rows] = {};                       // of plane z - 1
    Plane<T, Rows, Threads> plane;
    plane.load(args, columns, columns.z0 - 1, shared);
    plane.share(args.beta_per_dt, columns, shared, shared + At::kStage);
    plane.load(args, columns, columns.z0, shared);
    __syncthreads();
    transform(shared + At::kStage + threadIdx.x, columns, first);

    const auto write = [&](int z, const T* forces) {
#pragma unroll
        for (int k = 0; k < 3 * Rows; ++k) {
            const int r = k / 3, c = k % 3;
            T others = (forces - lanes)[k * Threads];
            if (r == 0) {
                others += (forces - width)[(3 * Rows + c) * Threads] +
                          (forces - width - lanes)[(3 * (Rows + 1) + c) * Threads];
            }
            const T next = known[r][c] - scale[r] * others;
            if (columns.written[r] && z >= columns.z0) {
                const unsigned at = z * static_cast<unsigned>(args.shape.plane()) + columns.at[r];
                (args.next + c * args.shape.component())[at] = next;
            }
        }
    };
    // Layers and planes beyond the model have no stiffness. stage: of the layer, other: of those
    // before and after it.
    const auto layer = [&](int z, T* stage, T* other, const T(&low)[Rows][4][3],
                           T(&high)[Rows][4][3]) {
        T l[Rows], g[Rows];
#pragma unroll
        for (int r = 0; r < Rows; ++r) {
            const auto of = reinterpret_cast<const Moduli<T>*>(args.moduli)[solid[r]];
            const bool exists = columns.voxel[r] && z >= 0 && z + 1 < nz;
            l[r] = exists ? of.l : T(0);
            g[r] = exists ? of.g : T(0);
        }
        plane.share(args.beta_per_dt, columns, shared, stage);
        const T keep_above = args.keep[2][inside(z + 1, nz)];
#pragma unroll
        for (int k = 0; k < 3 * Rows; ++k) {  // of plane z + 1
            other[At::kStill + k * Threads + threadIdx.x] =
                plane.u[k / 3][k % 3] + keep[k / 3] * keep_above * plane.change[k / 3][k % 3];
        }
        plane.load(args, columns, z + 2, shared);
#pragma unroll
        for (int r = 0; r < Rows; ++r) {
            solid[r] = args.solid_of[inside(z + 1, nz - 1) * voxels + voxel[r]];
        }
        __syncthreads();
        write(z - 1, other + At::kForces + threadIdx.x);
#pragma unroll
        for (int r = 0; r < Rows; ++r) {
            scale[r] = args.scale[inside(z, nz) * nodes + node[r]];
        }
        transform(stage + threadIdx.x, columns, high);
        T* forces = stage + At::kForces + threadIdx.x;
        T above[3] = {}, right_above[3] = {};  // on the next row's nodes
#pragma unroll
        for (int r = 0; r < Rows; ++r) {
            T w[8][3], F[8][3];
#pragma unroll
            for (int k = 0; k < 12; ++k) {
                const int p = k / 3, c = k % 3;
                w[p][c] = low[r][p][c] + high[r][p][c];
                w[p + 4][c] = high[r][p][c] - low[r][p][c];
            }
            WalshElement<T>::forces(w, l[r], g[r], F);
#pragma unroll
            for (int c = 0; c < 3; ++c) {
                F[0][c] = 0;
                T on[4];  // node plane z, transformed
#pragma unroll
                for (int p = 0; p < 4; ++p) {
                    on[p] = carried[r][p][c] + (F[p][c] - F[p + 4][c]);
                    carried[r][p][c] = F[p][c] + F[p + 4][c];
                }
                T own = (on[0] - on[1]) - (on[2] - on[3]);
                T right = (on[0] + on[1]) - (on[2] + on[3]);
                if (r > 0) {
                    own += above[c];
                    right += right_above[c];
                }
                above[c] = (on[0] - on[1]) + (on[2] - on[3]);
                right_above[c] = (on[0] + on[1]) + (on[2] + on[3]);
                forces[(3 * r + c) * Threads] = right;
                known[r][c] =
                    stage[At::kStill + (3 * r + c) * Threads + threadIdx.x] - scale[r] * own;
            }
        }
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            forces[(3 * Rows + c) * Threads] = above[c];
            forces[(3 * (Rows + 1) + c) * Threads] = right_above[c];
        }
    };
    T* even = shared;
    T* odd = shared + At::kStage;
    int z = columns.z0 - 1;
    for (; z + 1 < columns.z1; z += 2) {
        layer(z, even, odd, first, second);
        layer(z + 1, odd, even, second, first);
    }
    T* last = odd;
    if (z < columns.z1) {
        layer(z, even, odd, first, second);
        last = even;
    }
    __syncthreads();
    write(columns.z1 - 1, last + At::kForces + threadIdx.x);
}

template <class T, int Threads>
void launch(const StepArgs<T>& args, const WalshTile& tile, device::Queue& queue) {
    constexpr int kRows = kWalshRows<T>;
    constexpr std::size_t kBytes = Place<kRows, Threads>::kNumbers * sizeof(T);
    // More than the 48 KiB that every kernel may have.
    static device::OncePerDevice allowed;
    allowed.run(queue.stream().device, [] {
        device::cuda::check(
            cudaFuncSetAttribute(walsh_tile_kernel<T, kRows, Threads>,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes),
            "walsh_tile");
    });
    const std::int64_t blocks = std::int64_t(tile.tiles[0]) * tile.tiles[1] * tile.tiles[2];
    walsh_tile_kernel<T, kRows, Threads>
        <<<blocks, Threads, kBytes, queue.stream().stream>>>(args, tile);
    device::cuda::check(cudaGetLastError(), "walsh_tile");
}

}  // namespace

template <class T>
void walsh_tile_cuda(const StepArgs<T>& args, const WalshTile& tile, device::Queue& queue) {
    tile.threads == kWalshThreads[0] ? launch<T, kWalshThreads[0]>(args, tile, queue)
                                     : launch<T, kWalshThreads[1]>(args, tile, queue);
}

template <class T>
WalshTile walsh_tile_of_cuda(const FieldShape& shape, device::Queue& queue) {
    return walsh_tile(shape, kWalshRows<T>, queue.stream().multiprocessors);
}

template void walsh_tile_cuda(const StepArgs<double>&, const WalshTile&, device::Queue&);
template void walsh_tile_cuda(const StepArgs<float>&, const WalshTile&, device::Queue&);
template WalshTile walsh_tile_of_cuda<double>(const FieldShape&, device::Queue&);
template WalshTile walsh_tile_of_cuda<float>(const FieldShape&, device::Queue&);

}  // namespace kaname::voxelwave
