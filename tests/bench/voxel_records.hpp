// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "solvers/device/queue.hpp"
#include "solvers/voxelwave/voxel_step.hpp"
#include "tests/bench/voxel_block.hpp"

namespace kaname::bench {

/// Voxels and steps.
struct Grid {
    int per_12mm;
    double dt_s;
    [[nodiscard]] double ds_m() const { return 0.012 / per_12mm; }
};

/// Displacement at a block's receivers every 2e-7 s, 40 times in a period of 125 kHz:
/// [samples][channels].
using Record = std::vector<float>;

/// T: precision of the fields.
template <class T>
[[nodiscard]] Record waveforms(const VoxelBlock& block, const Grid& grid,
                               voxelwave::Variant variant, const device::Queue& queue);

/// Mean over channels of sum_t (u - u_ref)^2 / sum_t u_ref^2 (ichimura2024, eq. 18).
[[nodiscard]] double error_of(const Record& record, const Record& reference, std::size_t channels);

/// Richardson's, as if errors were c ds^2.
[[nodiscard]] Record extrapolated(const Record& coarse, const Grid& of_coarse, const Record& fine,
                                  const Grid& of_fine);

}  // namespace kaname::bench
