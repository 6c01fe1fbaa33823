// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/device/cuda/copy_async.cuh"
#include "solvers/voxelwave/kernels/step_args.hpp"
#include "solvers/voxelwave/kernels/walsh_tile.hpp"

// What a thread of walsh_tile_kernel has of its tile, and how planes of nodes come to it.
namespace kaname::voxelwave::walsh {

/// Where a block's numbers lie in shared memory, in numbers from its start. Two stages, of odd and
/// even layers, so that one barrier per layer is enough: what is read after a barrier is written
/// over after the next.
template <int Rows, int Threads>
struct Place {
    static constexpr int kRim = Threads / 2;              ///< most nodes beyond the threads' own
    static constexpr int kNodes = Rows * Threads + kRim;  ///< v of a component
    static constexpr int kForces = 3 * kNodes;  ///< on nodes of others: right, above, right above
    static constexpr int kStill =
        kForces + 3 * (Rows + 2) * Threads;  ///< u + (1 - alpha dt)(u - u-)
    static constexpr int kStage = kStill + 3 * Rows * Threads;
    static constexpr int kComing = 2 * kStage;  ///< u, u- of the rim, on their way from memory
    static constexpr int kNumbers = kComing + 6 * kRim;
};

/// A thread's columns of voxels, one by one along y, and of their first nodes. What lies beyond the
/// model is read from its sides, where voxels without stiffness make no forces.
template <int Rows, int Threads>
struct Columns {
    int z0, z1;  ///< planes of nodes to write
    int planes;  ///< of the model up to the last that these need
    int x, y[Rows];
    unsigned at[Rows];       ///< of the first node, in a plane of a component
    int right, right_step;   ///< from this thread's node in shared memory to the next along x
    int above, right_above;  ///< to those of the row of nodes above all of the thread's
    bool voxel[Rows], written[Rows];
    int rim;  ///< of the nodes beyond all threads', the one that this thread brings; -1: none
    unsigned rim_at;

    __device__ Columns(const FieldShape& shape, const WalshTile& tile) {
        const int lanes = shape.lanes, width = tile.columns * lanes;
        const int thread = static_cast<int>(threadIdx.x);
        const int across = thread % width, up = thread / width, first = up * Rows;
        const int tiles = tile.tiles[0] * tile.tiles[1];
        const int layer = static_cast<int>(blockIdx.x) / tiles;
        const int block = static_cast<int>(blockIdx.x) % tiles;
        z0 = layer * tile.layers;
        z1 = lesser(z0 + tile.layers, shape.nodes[2]);
        planes = lesser(z1 + 1, shape.nodes[2]);
        const int first_place = block % tile.tiles[0] * (width - lanes) - lanes;
        const int first_y = block / tile.tiles[0] * (tile.rows - 1) - 1;
        const int place = first_place + across;
        const auto plane_at = [&](int any_place, int any_y) {
            return static_cast<unsigned>(shape.at(0, 0, inside(any_y, shape.nodes[1]),
                                                  inside(any_place, shape.row_length())));
        };
        x = inside(place, shape.row_length()) / lanes;
        for (int r = 0; r < Rows; ++r) {
            const int row = first_y + first + r;
            const bool node = first < tile.rows && place >= 0 && place < shape.row_length() &&
                              row >= 0 && row < shape.nodes[1];
            voxel[r] = node && place + lanes < shape.row_length() && row + 1 < shape.nodes[1];
            written[r] = node && across >= lanes && first + r > 0;
            y[r] = inside(row, shape.nodes[1]);
            at[r] = plane_at(place, row);
        }
        // The rim: the row above the tile, then the nodes right of each row.
        const bool last_column = across + lanes >= width, last_row = first + Rows >= tile.rows;
        const int rim_above = Rows * Threads + across - thread;
        const int rim_right = rim_above + lesser(first, tile.rows - Rows) * lanes + lanes;
        right = last_column ? rim_right : lanes;
        right_step = last_column ? lanes : Threads;
        above = last_row ? rim_above : width;
        right_above = last_column ? rim_right + Rows * lanes : above + lanes;
        rim = thread < width + lanes * (tile.rows + 1) ? thread : -1;
        rim_at = thread < width ? plane_at(first_place + thread, first_y + tile.rows)
                                : plane_at(first_place + width + (thread - width) % lanes,
                                           first_y + (thread - width) / lanes);
    }
    [[nodiscard]] __device__ static int lesser(int a, int b) { return a < b ? a : b; }
    [[nodiscard]] __device__ static int inside(int at, int n) {
        return at < 0 ? 0 : lesser(at, n - 1);
    }
};

/// Walsh transforms along x and y of the columns' nodes and their neighbours' in shared memory. v:
/// this thread's.
template <class T, int Rows, int Threads>
__device__ void transform(const T* v, const Columns<Rows, Threads>& columns, T (&to)[Rows][4][3]) {
    constexpr int kNodes = Place<Rows, Threads>::kNodes;
#pragma unroll
    for (int c = 0; c < 3; ++c) {
        T sum[Rows + 1], difference[Rows + 1];  // along x
#pragma unroll
        for (int r = 0; r <= Rows; ++r) {
            const T left = (r < Rows ? v + r * Threads : v + columns.above)[c * kNodes];
            const T right = (r < Rows ? v + columns.right + r * columns.right_step
                                      : v + columns.right_above)[c * kNodes];
            sum[r] = left + right;
            difference[r] = right - left;
        }
#pragma unroll
        for (int r = 0; r < Rows; ++r) {
            to[r][0][c] = sum[r] + sum[r + 1];
            to[r][1][c] = difference[r] + difference[r + 1];
            to[r][2][c] = sum[r + 1] - sum[r];
            to[r][3][c] = difference[r + 1] - difference[r];
        }
    }
}

/// A plane's nodes as they come from memory, one layer before they are used: the thread's own in
/// registers, those of the rim in shared memory.
template <class T, int Rows, int Threads>
struct Plane {
    using At = Place<Rows, Threads>;
    T u[Rows][3], change[Rows][3];  ///< u, u - u-

    __device__ void load(const StepArgs<T>& args, const Columns<Rows, Threads>& columns, int z,
                         T* shared) {
        const unsigned plane =
            columns.inside(z, columns.planes) * static_cast<unsigned>(args.shape.plane());
        const std::int64_t field = args.shape.component();
#pragma unroll
        for (int k = 0; k < 3 * Rows; ++k) {
            const unsigned at = plane + columns.at[k / 3];
            u[k / 3][k % 3] = (args.u + k % 3 * field)[at];
            change[k / 3][k % 3] = (args.before + k % 3 * field)[at];
        }
        if (columns.rim >= 0) {
            T* coming = shared + At::kComing + columns.rim;
            const unsigned at = plane + columns.rim_at;
#pragma unroll
            for (int c = 0; c < 3; ++c) {
                device::cuda::copy_async(coming + c * At::kRim, args.u + c * field + at);
                device::cuda::copy_async(coming + (3 + c) * At::kRim, args.before + c * field + at);
            }
        }
    }
    /// u + beta/dt (u - u-) for all, in a stage of shared memory.
    __device__ void share(T beta_per_dt, const Columns<Rows, Threads>& columns, T* shared,
                          T* stage) {
#pragma unroll
        for (int k = 0; k < 3 * Rows; ++k) {
            T &now = u[k / 3][k % 3], &change_of = change[k / 3][k % 3];
            change_of = now - change_of;
            stage[k % 3 * At::kNodes + k / 3 * Threads + threadIdx.x] =
                now + beta_per_dt * change_of;
        }
        if (columns.rim >= 0) {
            device::cuda::wait_for_copies();
            const T* come = shared + At::kComing + columns.rim;
#pragma unroll
            for (int c = 0; c < 3; ++c) {
                const T now = come[c * At::kRim];
                stage[c * At::kNodes + Rows * Threads + columns.rim] =
                    now + beta_per_dt * (now - come[(3 + c) * At::kRim]);
            }
        }
    }
};

}  // namespace kaname::voxelwave::walsh
