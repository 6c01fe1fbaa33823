// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "solvers/device/queue.hpp"
#include "solvers/voxelwave/kernels/step_args.hpp"

namespace kaname::voxelwave {

/// WalshTile is the part of a step by one block of threads. Each thread has a column of voxels;
/// they write all nodes but those of the first column and row, `layers` planes of nodes one after
/// the other.
struct WalshTile {
    int columns, rows;  ///< of voxels
    int layers;
    int threads;   ///< of the block, no fewer than columns x lanes x rows
    int tiles[3];  ///< along x, y, z
};

/// Threads of a block: few, so that a multiprocessor has blocks which do not wait for each other,
/// or many, for tiles of several sources.
template <class Number>
inline constexpr int kWalshThreads[2] = {256, sizeof(Number) == 8 ? 512 : 384};
/// Threads that the registers of a multiprocessor must hold.
template <class Number>
inline constexpr int kWalshResident = sizeof(Number) == 8 ? 512 : 768;

/// The tile with the least to do on the busiest multiprocessor, by blocks of so many threads, of
/// which a multiprocessor takes `resident` at a time.
[[nodiscard]] WalshTile walsh_tile(const FieldShape& shape, std::span<const int> threads,
                                   int resident, int multiprocessors);

/// A step of OVFEM in one pass (docs/theory/voxelwave.md, "On a GPU"): per node and lane u and u-
/// are read and u+ written, moduli = lambda ds/16, G ds/16. No atomics: results repeat.
template <class T>
void walsh_tile_cuda(const StepArgs<T>& args, const WalshTile& tile, device::Queue& queue);
/// The tile for the queue's GPU.
template <class T>
[[nodiscard]] WalshTile walsh_tile_of_cuda(const FieldShape& shape, device::Queue& queue);

}  // namespace kaname::voxelwave
