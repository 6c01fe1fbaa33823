// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/device/cuda/copy_async.cuh"
#include "solvers/voxelwave/kernels/step_args.hpp"
#include "solvers/voxelwave/kernels/walsh_tile.hpp"

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
