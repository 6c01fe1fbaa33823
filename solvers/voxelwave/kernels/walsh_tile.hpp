// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/device/queue.hpp"
#include "solvers/voxelwave/kernels/step_args.hpp"

namespace kaname::voxelwave {

/// What a block of threads does of a step: a column of nodes by each thread, the outermost of which
/// only bring what their neighbours need, and `layers` planes of nodes, one after the other.
struct WalshTile {
    int columns, rows;  ///< of nodes, with the outermost
    int layers;
    int threads;   ///< columns x lanes x rows, in whole warps
    int tiles[3];  ///< along x, y, z
};

/// Most threads of a block, and how many such blocks the registers of a multiprocessor must hold.
template <class T>
inline constexpr int kWalshThreads = sizeof(T) == 8 ? 512 : 384;
template <class T>
inline constexpr int kWalshBlocks = sizeof(T) == 8 ? 1 : 2;

/// The tile with the least to do on the busiest multiprocessor, of at most `most` threads, where a
/// multiprocessor takes `resident` threads at a time.
[[nodiscard]] WalshTile walsh_tile(const FieldShape& shape, int most, int resident,
                                   int multiprocessors);

/// A step of OVFEM in one pass (docs/theory/voxelwave.md, "On a GPU"): per node and lane u and u-
/// are read and u+ written, moduli = lambda ds/16, G ds/16. No atomics: results repeat.
template <class T>
void walsh_tile_cuda(const StepArgs<T>& args, const WalshTile& tile, device::Queue& queue);
/// The tile for the queue's GPU.
template <class T>
[[nodiscard]] WalshTile walsh_tile_of_cuda(const FieldShape& shape, device::Queue& queue);

}  // namespace kaname::voxelwave
