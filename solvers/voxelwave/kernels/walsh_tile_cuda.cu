// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/device/cuda/launch.cuh"
#include "solvers/device/once_per_device.hpp"
#include "solvers/voxelwave/kernels/walsh_tile.hpp"
#include "solvers/voxelwave/walsh_element.hpp"

namespace kaname::voxelwave {
namespace {

/// Numbers of a thread in shared memory: u and forces at three corners, which others read, and
/// u + (1 - alpha dt)(u - u-) of two planes, for which there are no registers.
constexpr int kShared = 18;

/// A thread's column of nodes (place, y) and the voxels between it and the next along x and y.
struct Column {
    int z0, z1;  ///< planes of nodes to write
    int place, y;
    int right, above;  ///< threads from this one to the neighbours'; 0 where there is no voxel
    bool node, voxel, written;

    __device__ Column(const FieldShape& shape, const WalshTile& tile) {
        const int width = tile.columns * shape.lanes, thread = static_cast<int>(threadIdx.x);
        const int across = thread % width, up = thread / width;
        const int layer = static_cast<int>(blockIdx.x) / (tile.tiles[0] * tile.tiles[1]);
        const int block = static_cast<int>(blockIdx.x) % (tile.tiles[0] * tile.tiles[1]);
        z0 = layer * tile.layers;
        z1 = z0 + tile.layers < shape.nodes[2] ? z0 + tile.layers : shape.nodes[2];
        place = block % tile.tiles[0] * (width - 2 * shape.lanes) + across - shape.lanes;
        y = block / tile.tiles[0] * (tile.rows - 2) + up - 1;
        node = up < tile.rows && place >= 0 && place < shape.row_length() && y >= 0 &&
               y < shape.nodes[1];
        voxel = node && across + shape.lanes < width && up + 1 < tile.rows &&
                place + shape.lanes < shape.row_length() && y + 1 < shape.nodes[1];
        written = node && across >= shape.lanes && across + shape.lanes < width && up >= 1 &&
                  up + 1 < tile.rows;
        right = voxel ? shape.lanes : 0;
        above = voxel ? width : 0;
    }
};

/// Walsh transform along x and y of four columns' numbers, each with its neighbours' in shared
/// memory.
template <class T>
__device__ void transform(const T* v, int threads, const Column& column, T (&to)[4][3]) {
#pragma unroll
    for (int c = 0; c < 3; ++c) {
        const T* of = v + c * threads + threadIdx.x;
        const T left = of[0], right = of[column.right];
        const T left_above = of[column.above], right_above = of[column.above + column.right];
        to[0][c] = (left + right) + (left_above + right_above);
        to[1][c] = (right - left) + (right_above - left_above);
        to[2][c] = (left_above + right_above) - (left + right);
        to[3][c] = (right_above - left_above) - (right - left);
    }
}

/// A plane of nodes as it comes from memory, one layer before it is used.
template <class T>
struct Plane {
    T u[3], change[3];  ///< u, u - u-

    /// at: of the node, in a component.
    __device__ void load(const StepArgs<T>& args, bool inside, unsigned at) {
        const std::int64_t field = args.shape.component();
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            u[c] = inside ? (args.u + c * field)[at] : T(0);
            change[c] = inside ? (args.before + c * field)[at] : T(0);
        }
    }
    __device__ void share(T beta_per_dt, T* v, int threads) {
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            change[c] = u[c] - change[c];
            v[c * threads + threadIdx.x] = u[c] + beta_per_dt * change[c];
        }
    }
};

template <class T>
__global__ void __launch_bounds__(kWalshThreads<T>, kWalshBlocks<T>)
    walsh_tile_kernel(StepArgs<T> args, WalshTile tile) {
    extern __shared__ __align__(16) unsigned char memory[];
    const Column column(args.shape, tile);
    const int threads = tile.threads, lanes = args.shape.lanes, width = tile.columns * lanes;
    const int nx = args.shape.nodes[0], ny = args.shape.nodes[1];
    T* v = reinterpret_cast<T*>(memory);
    T* forces = v + 3 * threads + threadIdx.x;
    T* still = forces + 9 * threads;
    const T keep =
        column.written ? args.keep[0][column.place / lanes] * args.keep[1][column.y] : T(0);
    const auto inside = [&](int z) { return column.node && z >= 0 && z < args.shape.nodes[2]; };
    const auto ahead = static_cast<unsigned>(args.shape.plane());
    unsigned here =
        static_cast<unsigned>(args.shape.at(0, 0, column.y, column.place)) + column.z0 * ahead;

    T low[4][3];           // transform of node plane z
    T carried[4][3] = {};  // forces of layer z - 1 on it, transformed
    Plane<T> plane;
    plane.load(args, inside(column.z0 - 1), here - ahead);
    plane.share(args.beta_per_dt, v, threads);
    __syncthreads();
    transform(v, threads, column, low);
    __syncthreads();
    plane.load(args, inside(column.z0), here);
    // Layers and planes beyond the model are of zeros.
    for (int z = column.z0 - 1; z < column.z1; ++z) {
        T l = 0, g = 0, scale = 0;
        if (column.voxel && z >= 0 && z + 1 < args.shape.nodes[2]) {
            const T* moduli =
                args.moduli + 2 * args.solid_of[(std::int64_t(z) * (ny - 1) + column.y) * (nx - 1) +
                                                column.place / lanes];
            l = moduli[0];
            g = moduli[1];
        }
        const bool written = column.written && z >= column.z0;
        if (written) {
            scale = args.scale[(std::int64_t(z) * ny + column.y) * nx + column.place / lanes];
        }
        plane.share(args.beta_per_dt, v, threads);
        const T keep_above = z + 1 < args.shape.nodes[2] ? keep * args.keep[2][z + 1] : T(0);
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            still[((z + 1 & 1) * 3 + c) * threads] = plane.u[c] + keep_above * plane.change[c];
        }
        here += ahead;
        plane.load(args, inside(z + 2), here);
        __syncthreads();
        T high[4][3], w[8][3], F[8][3];
        transform(v, threads, column, high);
#pragma unroll
        for (int p = 0; p < 4; ++p) {
#pragma unroll
            for (int c = 0; c < 3; ++c) {
                w[p][c] = low[p][c] + high[p][c];
                w[p + 4][c] = high[p][c] - low[p][c];
                low[p][c] = high[p][c];
            }
        }
        WalshElement<T>::forces(w, l, g, F);
        T own[3];
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            F[0][c] = 0;
            T on[4];  // node plane z, transformed
#pragma unroll
            for (int p = 0; p < 4; ++p) {
                on[p] = carried[p][c] + (F[p][c] - F[p + 4][c]);
                carried[p][c] = F[p][c] + F[p + 4][c];
            }
            own[c] = (on[0] - on[1]) - (on[2] - on[3]);
            forces[c * threads] = (on[0] + on[1]) - (on[2] + on[3]);
            forces[(3 + c) * threads] = (on[0] - on[1]) + (on[2] - on[3]);
            forces[(6 + c) * threads] = (on[0] + on[1]) + (on[2] + on[3]);
        }
        __syncthreads();
        if (written) {
#pragma unroll
            for (int c = 0; c < 3; ++c) {
                const T force = own[c] + forces[c * threads - lanes] +
                                forces[(3 + c) * threads - width] +
                                forces[(6 + c) * threads - width - lanes];
                (args.next + c * args.shape.component())[here - 2 * ahead] =
                    still[((z & 1) * 3 + c) * threads] - scale * force;
            }
        }
    }
}

}  // namespace

template <class T>
void walsh_tile_cuda(const StepArgs<T>& args, const WalshTile& tile, device::Queue& queue) {
    // FP64 needs more than the 48 KiB that every kernel may have.
    static device::OncePerDevice allowed;
    allowed.run(queue.stream().device, [] {
        device::cuda::check(
            cudaFuncSetAttribute(walsh_tile_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 kShared * sizeof(T) * kWalshThreads<T>),
            "walsh_tile");
    });
    const std::int64_t blocks = std::int64_t(tile.tiles[0]) * tile.tiles[1] * tile.tiles[2];
    const std::size_t shared = kShared * sizeof(T) * tile.threads;
    walsh_tile_kernel<T><<<blocks, tile.threads, shared, queue.stream().stream>>>(args, tile);
    device::cuda::check(cudaGetLastError(), "walsh_tile");
}

template <class T>
WalshTile walsh_tile_of_cuda(const FieldShape& shape, device::Queue& queue) {
    return walsh_tile(shape, kWalshThreads<T>, kWalshThreads<T> * kWalshBlocks<T>,
                      queue.stream().multiprocessors);
}

template void walsh_tile_cuda(const StepArgs<double>&, const WalshTile&, device::Queue&);
template void walsh_tile_cuda(const StepArgs<float>&, const WalshTile&, device::Queue&);
template WalshTile walsh_tile_of_cuda<double>(const FieldShape&, device::Queue&);
template WalshTile walsh_tile_of_cuda<float>(const FieldShape&, device::Queue&);

}  // namespace kaname::voxelwave
