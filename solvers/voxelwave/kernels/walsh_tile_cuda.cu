// SPDX-License-Identifier: BSD-3-Clause
#include <type_traits>

#include "solvers/device/cuda/launch.cuh"
#include "solvers/device/once_per_device.hpp"
#include "solvers/voxelwave/kernels/step_args.hpp"
#include "solvers/voxelwave/kernels/walsh_column.cuh"
#include "solvers/voxelwave/kernels/walsh_tile.hpp"
#include "solvers/voxelwave/walsh_element.hpp"

namespace kaname::voxelwave {
namespace {

using walsh::Column;
using walsh::Place;
using walsh::Plane;
using walsh::transform;

template <class T>
struct alignas(2 * sizeof(T)) Moduli {
    T l, g;
};

template <class T, class Number, int Threads>
__global__ void __launch_bounds__(Threads, kWalshResident<Number> / Threads)
    walsh_tile_kernel(StepArgs<T, Number> args, WalshTile tile) {
    using At = Place<Threads>;
    extern __shared__ __align__(16) unsigned char memory[];
    Number* shared = reinterpret_cast<Number*>(memory);
    Column column{};
    column.find<Threads>(args.shape, tile);
    const int lanes = args.shape.lanes, width = tile.columns * lanes;
    const int nx = args.shape.nodes[0], ny = args.shape.nodes[1], nz = args.shape.nodes[2];
    const int x = column.x, y = column.y;
    const T keep = args.keep[0][x] * args.keep[1][y];
    const unsigned voxels = (nx - 1) * (ny - 1),
                   voxel = Column::inside(y, ny - 1) * (nx - 1) + Column::inside(x, nx - 1);
    const unsigned nodes = nx * ny, node = y * nx + x;

    Number first[4][3], second[4][3];  // transforms of node planes z, z + 1
    Number carried[4][3] = {};         // forces of layer z - 1 on plane z, transformed
    Number known[3] = {};              // u+ of plane z - 1 but for the neighbours' forces
    T scale = 0;                       // of plane z - 1
    Plane<T, Number, Threads> plane;
    plane.load(args, column, column.z0 - 1, shared);
    plane.share(args.beta_per_dt, column, shared, shared + At::kStage);
    plane.load(args, column, column.z0, shared);
    unsigned solid = args.solid_of[Column::inside(column.z0 - 1, nz - 1) * voxels + voxel];
    __syncthreads();
    transform<At::kNodes>(shared + At::kStage + threadIdx.x, column, first);

    const auto write = [&](int z, const Number* forces) {
        const unsigned at = z * static_cast<unsigned>(args.shape.plane()) + column.at;
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            const Number others = (forces - lanes)[c * Threads] +
                                  (forces - width)[(3 + c) * Threads] +
                                  (forces - width - lanes)[(6 + c) * Threads];
            const Number next = known[c] - scale * others;
            if (column.written && z >= column.z0) {
                (args.next + c * args.shape.component())[at] = next;
            }
        }
    };
    // Layers and planes beyond the model have no stiffness. stage: of the layer, other: of those
    // before and after it.
    const auto layer = [&](int z, Number* stage, Number* other, const Number(&low)[4][3],
                           Number(&high)[4][3]) {
        const auto of = reinterpret_cast<const Moduli<T>*>(args.moduli)[solid];
        const bool exists = column.voxel && z >= 0 && z + 1 < nz;
        const T l = exists ? of.l : T(0), g = exists ? of.g : T(0);
        plane.share(args.beta_per_dt, column, shared, stage);
        const T keep_above = keep * args.keep[2][Column::inside(z + 1, nz)];
#pragma unroll
        for (int c = 0; c < 3; ++c) {  // of plane z + 1
            other[At::kStill + c * Threads + threadIdx.x] =
                plane.u[c] + keep_above * plane.change[c];
        }
        plane.load(args, column, z + 2, shared);
        solid = args.solid_of[Column::inside(z + 1, nz - 1) * voxels + voxel];
        __syncthreads();
        write(z - 1, other + At::kForces + threadIdx.x);
        scale = args.scale[Column::inside(z, nz) * nodes + node];
        transform<At::kNodes>(stage + threadIdx.x, column, high);
        Number w[8][3], F[8][3];
#pragma unroll
        for (int p = 0; p < 4; ++p) {
#pragma unroll
            for (int c = 0; c < 3; ++c) {
                w[p][c] = low[p][c] + high[p][c];
                w[p + 4][c] = high[p][c] - low[p][c];
            }
        }
        WalshElement<Number>::forces(w, l, g, F);
        Number* forces = stage + At::kForces + threadIdx.x;
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            F[0][c] = 0;
            Number on[4];  // node plane z, transformed
#pragma unroll
            for (int p = 0; p < 4; ++p) {
                on[p] = carried[p][c] + (F[p][c] - F[p + 4][c]);
                carried[p][c] = F[p][c] + F[p + 4][c];
            }
            forces[c * Threads] = (on[0] + on[1]) - (on[2] + on[3]);
            forces[(3 + c) * Threads] = (on[0] - on[1]) + (on[2] - on[3]);
            forces[(6 + c) * Threads] = (on[0] + on[1]) + (on[2] + on[3]);
            const Number own = (on[0] - on[1]) - (on[2] - on[3]);
            known[c] = stage[At::kStill + c * Threads + threadIdx.x] - scale * own;
        }
    };
    Number* even = shared;
    Number* odd = shared + At::kStage;
    int z = column.z0 - 1;
    for (; z + 1 < column.z1; z += 2) {
        layer(z, even, odd, first, second);
        layer(z + 1, odd, even, second, first);
    }
    Number* last = odd;
    if (z < column.z1) {
        layer(z, even, odd, first, second);
        last = even;
    }
    __syncthreads();
    write(column.z1 - 1, last + At::kForces + threadIdx.x);
}

template <class T, class Number, int Threads>
void launch(const StepArgs<T, Number>& args, const WalshTile& tile, device::Queue& queue) {
    constexpr std::size_t kBytes = Place<Threads>::kNumbers * sizeof(Number);
    // More than the 48 KiB that every kernel may have.
    static device::OncePerDevice allowed;
    allowed.run(queue.stream().device, [] {
        device::cuda::check(
            cudaFuncSetAttribute(walsh_tile_kernel<T, Number, Threads>,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes),
            "walsh_tile");
    });
    const std::int64_t blocks = std::int64_t(tile.tiles[0]) * tile.tiles[1] * tile.tiles[2];
    walsh_tile_kernel<T, Number, Threads>
        <<<blocks, Threads, kBytes, queue.stream().stream>>>(args, tile);
    device::cuda::check(cudaGetLastError(), "walsh_tile");
}

template <class T, class Number>
void launch(const StepArgs<T, Number>& args, const WalshTile& tile, device::Queue& queue) {
    constexpr const int(&kThreads)[2] = kWalshThreads<Number>;
    tile.threads == kThreads[0] ? launch<T, Number, kThreads[0]>(args, tile, queue)
                                : launch<T, Number, kThreads[1]>(args, tile, queue);
}

/// Returns true if a thread takes two sources.
template <class T>
bool by_twos(const FieldShape& shape) {
    return sizeof(T) == sizeof(float) && shape.lanes % 2 == 0;
}

FieldShape in_twos(const FieldShape& shape) {
    return {{shape.nodes[0], shape.nodes[1], shape.nodes[2]}, shape.lanes / 2, shape.stride / 2};
}

}  // namespace

template <class T>
void walsh_tile_cuda(const StepArgs<T>& args, const WalshTile& tile, device::Queue& queue) {
    if constexpr (std::is_same_v<T, float>) {
        if (by_twos<T>(args.shape)) {
            launch(StepArgs<T, Two>{in_twos(args.shape),
                                    reinterpret_cast<const Two*>(args.u),
                                    reinterpret_cast<const Two*>(args.before),
                                    reinterpret_cast<Two*>(args.next),
                                    args.beta_per_dt,
                                    args.solid_of,
                                    args.moduli,
                                    args.scale,
                                    {args.keep[0], args.keep[1], args.keep[2]}},
                   tile, queue);
            return;
        }
    }
    launch(args, tile, queue);
}

template <class T>
WalshTile walsh_tile_of_cuda(const FieldShape& shape, device::Queue& queue) {
    const int multiprocessors = queue.stream().multiprocessors;
    return by_twos<T>(shape)
               ? walsh_tile(in_twos(shape), kWalshThreads<Two>, kWalshResident<Two>,
                            multiprocessors)
               : walsh_tile(shape, kWalshThreads<T>, kWalshResident<T>, multiprocessors);
}

template void walsh_tile_cuda(const StepArgs<double>&, const WalshTile&, device::Queue&);
template void walsh_tile_cuda(const StepArgs<float>&, const WalshTile&, device::Queue&);
template WalshTile walsh_tile_of_cuda<double>(const FieldShape&, device::Queue&);
template WalshTile walsh_tile_of_cuda<float>(const FieldShape&, device::Queue&);

}  // namespace kaname::voxelwave
