// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/device/queue.hpp"
#include "solvers/voxelwave/kernels/step_args.hpp"

namespace kaname::voxelwave {

/// What a block of threads does of a step: columns of voxels, which write all nodes but those of
/// the first column and row, and `layers` planes of nodes, one after the other.
struct WalshTile {
    int columns, rows;  ///< of voxels; a thread has kWalshRows one after the other along y
    int layers;
    int threads;   ///< of the block, one of kWalshThreads
    int tiles[3];  ///< along x, y, z
};

/// Columns of voxels of a thread: as many as its registers hold.
template <class T>
inline constexpr int kWalshRows = sizeof(T) == 8 ? 1 : 2;
/// Threads of a block: few, so that a multiprocessor has blocks which do not wait for each other,
/// or many, for tiles of several sources.
inline constexpr int kWalshThreads[2] = {256, 512};
/// Threads that the registers of a multiprocessor must hold.
inline constexpr int kWalshResident = 512;

/// The tile with the least to do on the busiest multiprocessor, where threads have so many rows.
[[nodiscard]] WalshTile walsh_tile(const FieldShape& shape, int rows_of_a_thread,
                                   int multiprocessors);

/// A step of OVFEM in one pass (docs/theory/voxelwave.md, "On a GPU"): per node and lane u and u-
/// are read and u+ written, moduli = lambda ds/16, G ds/16. No atomics: results repeat.
template <class T>
void walsh_tile_cuda(const StepArgs<T>& args, const WalshTile& tile, device::Queue& queue);
/// The tile for the queue's GPU.
template <class T>
[[nodiscard]] WalshTile walsh_tile_of_cuda(const FieldShape& shape, device::Queue& queue);

}  // namespace kaname::voxelwave
