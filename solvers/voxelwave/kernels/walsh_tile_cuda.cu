// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/device/cuda/copy_async.cuh"
#include "solvers/device/cuda/launch.cuh"
#include "solvers/device/once_per_device.hpp"
#include "solvers/voxelwave/kernels/walsh_tile.hpp"
#include "solvers/voxelwave/walsh_element.hpp"

namespace kaname::voxelwave {
namespace {

using device::cuda::copy_async;
using device::cuda::wait_for_copies;

/// Where a block's numbers lie in shared memory, in numbers from its start. Two stages, of odd and
/// even layers, so that one barrier per layer is enough: what is read after a barrier is written
/// over after the next.
template <int Threads>
struct Place {
    static constexpr int kRim = Threads / 2;        ///< most nodes beyond the threads' own
    static constexpr int kNodes = Threads + kRim;   ///< v of a component
    static constexpr int kForces = 3 * kNodes;      ///< at three corners, which others read
    static constexpr int kStill = kForces + 9 * Threads;  ///< u + (1 - alpha dt)(u - u-)
    static constexpr int kStage = kStill + 3 * Threads;
    static constexpr int kComing = 2 * kStage;  ///< u, u- of the rim, on their way from memory
    static constexpr int kNumbers = kComing + 6 * kRim;
};

/// A thread's column of voxels (place, y) .. (place + lanes, y + 1) and of their first nodes. What
/// lies beyond the model is read from its sides, where voxels without stiffness make no forces.
struct Column {
    int z0, z1;  ///< planes of nodes to write
    int place, y;
    int right, above, right_above;  ///< from this thread to the neighbours' nodes in shared memory
    bool voxel, written;
    int rim;  ///< of the nodes beyond all threads', the one that this thread brings; -1: none
    int rim_place, rim_y;

    template <int Threads>
    __device__ void find(const FieldShape& shape, const WalshTile& tile) {
        const int lanes = shape.lanes, width = tile.columns * lanes;
        const int thread = static_cast<int>(threadIdx.x);
        const int across = thread % width, up = thread / width;
        const int layer = static_cast<int>(blockIdx.x) / (tile.tiles[0] * tile.tiles[1]);
        const int block = static_cast<int>(blockIdx.x) % (tile.tiles[0] * tile.tiles[1]);
        z0 = layer * tile.layers;
        z1 = lesser(z0 + tile.layers, shape.nodes[2]);
        const int first_place = block % tile.tiles[0] * (width - lanes) - lanes;
        const int first_y = block / tile.tiles[0] * (tile.rows - 1) - 1;
        place = first_place + across;
        y = first_y + up;
        const bool node = up < tile.rows && place >= 0 && place < shape.row_length() && y >= 0 &&
                          y < shape.nodes[1];
        voxel = node && place + lanes < shape.row_length() && y + 1 < shape.nodes[1];
        written = node && across >= lanes && up >= 1;
        // The rim: the row above the tile, then the nodes right of each row.
        const bool last_column = across + lanes >= width, last_row = up + 1 >= tile.rows;
        const auto right_of = [&](int row) {
            return Threads + width + row * lanes + across + lanes - width - thread;
        };
        right = last_column ? right_of(lesser(up, tile.rows)) : lanes;
        above = last_row ? Threads + across - thread : width;
        right_above = last_column ? right_of(lesser(up + 1, tile.rows)) : above + lanes;
        rim = thread < width + lanes * (tile.rows + 1) ? thread : -1;
        rim_place = first_place + (thread < width ? thread : width + (thread - width) % lanes);
        rim_y = first_y + (thread < width ? tile.rows : (thread - width) / lanes);
        place = inside(place, shape.row_length());
        y = inside(y, shape.nodes[1]);
        rim_place = inside(rim_place, shape.row_length());
        rim_y = inside(rim_y, shape.nodes[1]);
    }
    [[nodiscard]] __device__ static int lesser(int a, int b) { return a < b ? a : b; }
    [[nodiscard]] __device__ static int inside(int at, int n) {
        return at < 0 ? 0 : lesser(at, n - 1);
    }
};

/// Walsh transform along x and y of four columns' numbers, each with its neighbours' in shared
/// memory. v: this thread's.
template <int Nodes, class T>
__device__ void transform(const T* v, const Column& column, T (&to)[4][3]) {
#pragma unroll
    for (int c = 0; c < 3; ++c) {
        const T left = v[c * Nodes], right = (v + column.right)[c * Nodes];
        const T left_above = (v + column.above)[c * Nodes],
                right_above = (v + column.right_above)[c * Nodes];
        to[0][c] = (left + right) + (left_above + right_above);
        to[1][c] = (right - left) + (right_above - left_above);
        to[2][c] = (left_above + right_above) - (left + right);
        to[3][c] = (right_above - left_above) - (right - left);
    }
}

/// A plane's nodes as they come from memory, one layer before they are used: the thread's own in
/// registers, those of the rim in shared memory.
template <class T, int Threads>
struct Plane {
    using At = Place<Threads>;
    T u[3], change[3];  ///< u, u - u-

    __device__ void load(const StepArgs<T>& args, const Column& column, int z, T* shared) {
        const std::int64_t field = args.shape.component();
        const int plane = Column::inside(z, args.shape.nodes[2]);
        const auto at = static_cast<unsigned>(args.shape.at(0, plane, column.y, column.place));
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            u[c] = (args.u + c * field)[at];
            change[c] = (args.before + c * field)[at];
        }
        if (column.rim >= 0) {
            T* coming = shared + At::kComing + column.rim;
            const auto there =
                static_cast<unsigned>(args.shape.at(0, plane, column.rim_y, column.rim_place));
#pragma unroll
            for (int c = 0; c < 3; ++c) {
                copy_async(coming + c * At::kRim, args.u + c * field + there);
                copy_async(coming + (3 + c) * At::kRim, args.before + c * field + there);
            }
        }
    }
    /// u + beta/dt (u - u-) for all, in a stage of shared memory.
    __device__ void share(T beta_per_dt, const Column& column, T* shared, T* stage) {
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            change[c] = u[c] - change[c];
            stage[c * At::kNodes + threadIdx.x] = u[c] + beta_per_dt * change[c];
        }
        if (column.rim >= 0) {
            wait_for_copies();
            const T* come = shared + At::kComing + column.rim;
#pragma unroll
            for (int c = 0; c < 3; ++c) {
                const T now = come[c * At::kRim];
                stage[c * At::kNodes + Threads + column.rim] =
                    now + beta_per_dt * (now - come[(3 + c) * At::kRim]);
            }
        }
    }
};

template <class T>
struct alignas(2 * sizeof(T)) Moduli {
    T l, g;
};

template <class T, int Threads>
__global__ void __launch_bounds__(Threads, kWalshResident<T> / Threads)
    walsh_tile_kernel(StepArgs<T> args, WalshTile tile) {
    using At = Place<Threads>;
    extern __shared__ __align__(16) unsigned char memory[];
    T* shared = reinterpret_cast<T*>(memory);
    Column column{};
    column.find<Threads>(args.shape, tile);
    const int lanes = args.shape.lanes, width = tile.columns * lanes;
    const int nx = args.shape.nodes[0], ny = args.shape.nodes[1], nz = args.shape.nodes[2];
    const int x = column.place / lanes;
    const T keep = args.keep[0][x] * args.keep[1][column.y];
    const auto is_voxel = [&](int z) { return column.voxel && z >= 0 && z + 1 < nz; };
    const auto solid_at = [&](int z) {
        return is_voxel(z) ? args.solid_of[(std::int64_t(z) * (ny - 1) + column.y) * (nx - 1) + x]
                           : std::uint16_t(0);
    };

    T low[4][3];           // transform of node plane z
    T carried[4][3] = {};  // forces of layer z - 1 on it, transformed
    T known[3] = {};       // u+ of plane z - 1 but for the neighbours' forces
    T scale = 0;           // of plane z - 1
    Plane<T, Threads> plane;
    plane.load(args, column, column.z0 - 1, shared);
    plane.share(args.beta_per_dt, column, shared, shared + (column.z0 & 1) * At::kStage);
    plane.load(args, column, column.z0, shared);
    unsigned solid = solid_at(column.z0 - 1);
    __syncthreads();
    transform<At::kNodes>(shared + (column.z0 & 1) * At::kStage + threadIdx.x, column, low);

    const auto write = [&](int z, const T* forces) {
        if (!column.written || z < column.z0) {
            return;
        }
        const auto at = static_cast<unsigned>(args.shape.at(0, z, column.y, column.place));
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            const T others = (forces - lanes)[c * Threads] + (forces - width)[(3 + c) * Threads] +
                             (forces - width - lanes)[(6 + c) * Threads];
            (args.next + c * args.shape.component())[at] = known[c] - scale * others;
        }
    };
    // Layers and planes beyond the model have no stiffness.
    for (int z = column.z0 - 1; z < column.z1; ++z) {
        const int parity = z & 1;
        T* stage = shared + parity * At::kStage;
        T* other = shared + (1 - parity) * At::kStage;
        Moduli<T> moduli{};
        if (is_voxel(z)) {
            moduli = reinterpret_cast<const Moduli<T>*>(args.moduli)[solid];
        }
        plane.share(args.beta_per_dt, column, shared, stage);
        const T keep_above = keep * args.keep[2][Column::inside(z + 1, nz)];
#pragma unroll
        for (int c = 0; c < 3; ++c) {  // of plane z + 1
            (other + At::kStill)[c * Threads + threadIdx.x] =
                plane.u[c] + keep_above * plane.change[c];
        }
        plane.load(args, column, z + 2, shared);
        solid = solid_at(z + 1);
        __syncthreads();
        write(z - 1, other + At::kForces + threadIdx.x);
        if (column.written && z >= column.z0) {
            scale = args.scale[(std::int64_t(z) * ny + column.y) * nx + x];
        }
        T high[4][3], w[8][3], F[8][3];
        transform<At::kNodes>(stage + threadIdx.x, column, high);
#pragma unroll
        for (int p = 0; p < 4; ++p) {
#pragma unroll
            for (int c = 0; c < 3; ++c) {
                w[p][c] = low[p][c] + high[p][c];
                w[p + 4][c] = high[p][c] - low[p][c];
                low[p][c] = high[p][c];
            }
        }
        WalshElement<T>::forces(w, moduli.l, moduli.g, F);
        T* forces = stage + At::kForces + threadIdx.x;
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            F[0][c] = 0;
            T on[4];  // node plane z, transformed
#pragma unroll
            for (int p = 0; p < 4; ++p) {
                on[p] = carried[p][c] + (F[p][c] - F[p + 4][c]);
                carried[p][c] = F[p][c] + F[p + 4][c];
            }
            forces[c * Threads] = (on[0] + on[1]) - (on[2] + on[3]);
            forces[(3 + c) * Threads] = (on[0] - on[1]) + (on[2] - on[3]);
            forces[(6 + c) * Threads] = (on[0] + on[1]) + (on[2] + on[3]);
            const T own = (on[0] - on[1]) - (on[2] - on[3]);
            known[c] = (stage + At::kStill)[c * Threads + threadIdx.x] - scale * own;
        }
    }
    __syncthreads();
    write(column.z1 - 1, shared + (column.z1 - 1 & 1) * At::kStage + At::kForces + threadIdx.x);
}

template <class T, int Threads>
void launch(const StepArgs<T>& args, const WalshTile& tile, device::Queue& queue) {
    constexpr std::size_t kBytes = Place<Threads>::kNumbers * sizeof(T);
    // More than the 48 KiB that every kernel may have.
    static device::OncePerDevice allowed;
    allowed.run(queue.stream().device, [] {
        device::cuda::check(
            cudaFuncSetAttribute(walsh_tile_kernel<T, Threads>,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes),
            "walsh_tile");
    });
    const std::int64_t blocks = std::int64_t(tile.tiles[0]) * tile.tiles[1] * tile.tiles[2];
    walsh_tile_kernel<T, Threads><<<blocks, Threads, kBytes, queue.stream().stream>>>(args, tile);
    device::cuda::check(cudaGetLastError(), "walsh_tile");
}

}  // namespace

template <class T>
void walsh_tile_cuda(const StepArgs<T>& args, const WalshTile& tile, device::Queue& queue) {
    tile.threads == kWalshThreads<T>[0] ? launch<T, kWalshThreads<T>[0]>(args, tile, queue)
                                        : launch<T, kWalshThreads<T>[1]>(args, tile, queue);
}

template <class T>
WalshTile walsh_tile_of_cuda(const FieldShape& shape, device::Queue& queue) {
    return walsh_tile(shape, kWalshThreads<T>, kWalshResident<T>, queue.stream().multiprocessors);
}

template void walsh_tile_cuda(const StepArgs<double>&, const WalshTile&, device::Queue&);
template void walsh_tile_cuda(const StepArgs<float>&, const WalshTile&, device::Queue&);
template WalshTile walsh_tile_of_cuda<double>(const FieldShape&, device::Queue&);
template WalshTile walsh_tile_of_cuda<float>(const FieldShape&, device::Queue&);

}  // namespace kaname::voxelwave
