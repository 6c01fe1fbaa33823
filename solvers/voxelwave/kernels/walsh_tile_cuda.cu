// SPDX-License-Identifier: BSD-3-Clause
#include <type_traits>

#include "solvers/device/cuda/copy_async.cuh"
#include "solvers/device/cuda/launch.cuh"
#include "solvers/device/once_per_device.hpp"
#include "solvers/voxelwave/kernels/step_args.hpp"
#include "solvers/voxelwave/kernels/walsh_tile.hpp"
#include "solvers/voxelwave/walsh_element.hpp"

// The code here gives a thread of walsh_tile_kernel its part of the tile, and brings planes of
// nodes to it.
namespace kaname::voxelwave::walsh {

/// Where a block's numbers lie in shared memory, in numbers from its start. Two stages, of odd and
/// even layers, so that one barrier per layer is enough: what is read after a barrier is written
/// over after the next.
template <int Threads>
struct Place {
    static constexpr int kRim = Threads / 2;              ///< most nodes beyond the threads' own
    static constexpr int kNodes = Threads + kRim;         ///< v of a component
    static constexpr int kForces = 3 * kNodes;            ///< at three corners, which others read
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
template <int Nodes, class Number>
__device__ void transform(const Number* v, const Column& column, Number (&to)[4][3]) {
#pragma unroll
    for (int c = 0; c < 3; ++c) {
        const Number left = v[c * Nodes], right = (v + column.right)[c * Nodes];
        const Number left_above = (v + column.above)[c * Nodes],
                     right_above = (v + column.right_above)[c * Nodes];
        to[0][c] = (left + right) + (left_above + right_above);
        to[1][c] = (right - left) + (right_above - left_above);
        to[2][c] = (left_above + right_above) - (left + right);
        to[3][c] = (right_above - left_above) - (right - left);
    }
}

/// A plane's nodes as they come from memory, one layer before they are used: the thread's own in
/// registers, those of the rim in shared memory.
template <class T, class Number, int Threads>
struct Plane {
    using At = Place<Threads>;
    Number u[3], change[3];  ///< u, u - u-

    __device__ void load(const StepArgs<T, Number>& args, const Column& column, int z,
                         Number* shared) {
        const std::int64_t field = args.shape.component();
        const unsigned plane =
            Column::inside(z, column.planes) * static_cast<unsigned>(args.shape.plane());
        const unsigned at = plane + column.at;
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            u[c] = (args.u + c * field)[at];
            change[c] = (args.before + c * field)[at];
        }
        if (column.rim >= 0) {
            Number* coming = shared + At::kComing + column.rim;
            const unsigned there = plane + column.rim_at;
#pragma unroll
            for (int c = 0; c < 3; ++c) {
                device::cuda::copy_async(coming + c * At::kRim, args.u + c * field + there);
                device::cuda::copy_async(coming + (3 + c) * At::kRim,
                                         args.before + c * field + there);
            }
        }
    }
    /// u + beta/dt (u - u-) for all, in a stage of shared memory.
    __device__ void share(T beta_per_dt, const Column& column, Number* shared, Number* stage) {
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            change[c] = u[c] - change[c];
            stage[c * At::kNodes + threadIdx.x] = u[c] + beta_per_dt * change[c];
        }
        if (column.rim >= 0) {
            device::cuda::wait_for_copies();
            const Number* come = shared + At::kComing + column.rim;
#pragma unroll
            for (int c = 0; c < 3; ++c) {
                const Number now = come[c * At::kRim];
                stage[c * At::kNodes + Threads + column.rim] =
                    now + beta_per_dt * (now - come[(3 + c) * At::kRim]);
            }
        }
    }
};

}  // namespace kaname::voxelwave::walsh

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
