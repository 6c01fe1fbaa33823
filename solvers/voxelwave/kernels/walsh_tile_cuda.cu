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

/// A thread's column of voxels (x, y) .. (x + 1, y + 1) and of their first nodes. What
/// lies beyond the model is read from its sides, where voxels without stiffness make no forces.
struct Column {
    int z0, z1;  ///< planes of nodes to write
    int planes;  ///< of the model up to the last that these need
    int x, y;
    unsigned at;                    ///< of the first node, in a plane of a component
    int right, above, right_above;  ///< from this thread to the neighbours' nodes in shared memory
    bool voxel, written;
    int rim;  ///< of the nodes beyond all threads', the one that this thread brings; -1: none
    unsigned rim_at;

    template <int Threads>
    __device__ void find(const FieldShape& shape, const WalshTile& tile) {
        const int lanes = shape.lanes, width = tile.columns * lanes;
        const int thread = static_cast<int>(threadIdx.x);
        const int across = thread % width, up = thread / width;
        const int layer = static_cast<int>(blockIdx.x) / (tile.tiles[0] * tile.tiles[1]);
        const int block = static_cast<int>(blockIdx.x) % (tile.tiles[0] * tile.tiles[1]);
        z0 = layer * tile.layers;
        z1 = lesser(z0 + tile.layers, shape.nodes[2]);
        planes = lesser(z1 + 1, shape.nodes[2]);
        const int first_place = block % tile.tiles[0] * (width - lanes) - lanes;
        const int first_y = block / tile.tiles[0] * (tile.rows - 1) - 1;
        const int place = first_place + across;
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
        const auto plane_at = [&](int any_place, int any_y) {
            return static_cast<unsigned>(shape.at(0, 0, inside(any_y, shape.nodes[1]),
                                                  inside(any_place, shape.row_length())));
        };
        at = plane_at(place, y);
        rim_at = thread < width ? plane_at(first_place + thread, first_y + tile.rows)
                                : plane_at(first_place + width + (thread - width) % lanes,
                                           first_y + (thread - width) / lanes);
        x = inside(place, shape.row_length()) / lanes;
        y = inside(y, shape.nodes[1]);
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
        const unsigned plane = Column::inside(z, column.planes) *
                               static_cast<unsigned>(args.shape.plane());
        const unsigned at = plane + column.at;
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            u[c] = (args.u + c * field)[at];
            change[c] = (args.before + c * field)[at];
        }
        if (column.rim >= 0) {
            T* coming = shared + At::kComing + column.rim;
            const unsigned there = plane + column.rim_at;
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
    const int x = column.x, y = column.y;
    const T keep = args.keep[0][x] * args.keep[1][y];
    const unsigned voxels = (nx - 1) * (ny - 1), voxel = Column::inside(y, ny - 1) * (nx - 1) +
                                                         Column::inside(x, nx - 1);
    const unsigned nodes = nx * ny, node = y * nx + x;

    T first[4][3], second[4][3];  // transforms of node planes z, z + 1
    T carried[4][3] = {};         // forces of layer z - 1 on plane z, transformed
    T known[3] = {};              // u+ of plane z - 1 but for the neighbours' forces
    T scale = 0;                  // of plane z - 1
    Plane<T, Threads> plane;
    plane.load(args, column, column.z0 - 1, shared);
    plane.share(args.beta_per_dt, column, shared, shared + At::kStage);
    plane.load(args, column, column.z0, shared);
    unsigned solid = args.solid_of[Column::inside(column.z0 - 1, nz - 1) * voxels + voxel];
    __syncthreads();
    transform<At::kNodes>(shared + At::kStage + threadIdx.x, column, first);

    const auto write = [&](int z, const T* forces) {
        const unsigned at = z * static_cast<unsigned>(args.shape.plane()) + column.at;
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            const T others = (forces - lanes)[c * Threads] + (forces - width)[(3 + c) * Threads] +
                             (forces - width - lanes)[(6 + c) * Threads];
            const T next = known[c] - scale * others;
            if (column.written && z >= column.z0) {
                (args.next + c * args.shape.component())[at] = next;
            }
        }
    };
    // Layers and planes beyond the model have no stiffness. stage: of the layer, other: of those
    // before and after it.
    const auto layer = [&](int z, T* stage, T* other, const T(&low)[4][3], T(&high)[4][3]) {
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
        T w[8][3], F[8][3];
#pragma unroll
        for (int p = 0; p < 4; ++p) {
#pragma unroll
            for (int c = 0; c < 3; ++c) {
                w[p][c] = low[p][c] + high[p][c];
                w[p + 4][c] = high[p][c] - low[p][c];
            }
        }
        WalshElement<T>::forces(w, l, g, F);
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
            known[c] = stage[At::kStill + c * Threads + threadIdx.x] - scale * own;
        }
    };
    T* even = shared;
    T* odd = shared + At::kStage;
    int z = column.z0 - 1;
    for (; z + 1 < column.z1; z += 2) {
        layer(z, even, odd, first, second);
        layer(z + 1, odd, even, second, first);
    }
    T* last = odd;
    if (z < column.z1) {
        layer(z, even, odd, first, second);
        last = even;
    }
    __syncthreads();
    write(column.z1 - 1, last + At::kForces + threadIdx.x);
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
