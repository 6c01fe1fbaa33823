// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <vector>

#include "solvers/voxelwave/point.hpp"
#include "worker/jobs/voxel_fem/wave_job.hpp"

namespace kaname::jobs {

/// Returns a patch as double couples at the middles of equal parts no longer than `part_m`: slip
/// times area [m3] in the place of moment, in the box's axes. `centre_m` is the patch's centre from
/// the voxels' origin, `north_rad` the azimuth of true north, clockwise from the box's y. Throws
/// InvalidArgument where there would be more than 100,000 parts.
[[nodiscard]] std::vector<voxelwave::PointMoment> patch_potencies(
    const WavePatch& patch, const std::array<double, 3>& centre_m, double north_rad, double part_m);

}  // namespace kaname::jobs
