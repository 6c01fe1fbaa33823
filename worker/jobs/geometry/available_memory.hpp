// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <vector>

#include "solvers/meshing/cleaving/volume_request.hpp"

namespace kaname::jobs {

/// Returns the memory that the system reports as available [bytes]; 0 where that is unknown.
[[nodiscard]] double available_bytes();

/// Adds a warning, at most once, if a solve needs more memory than is available. Adds nothing where
/// that is unknown (0).
void warn_of_memory(double solve_bytes, double available_bytes, std::vector<std::string>& warnings);

/// Elements that the mesher makes per size^3: 13 in a leaf of its octree, whose edge is 0.75 to 1.5
/// sizes, evenly in its logarithm.
inline constexpr double kTetsPerSizeCubed = 13.2;

/// Elements that the sizes of a request come to, within a factor of about 1.5, at a cost that does
/// not depend on their number: for requests that are too large for MeshSource::estimate().
///   sum over cubes of  V <kTetsPerSizeCubed / size^3>,  the sizes in a cube taken as spread evenly
[[nodiscard]] double rough_count(const cleaving::VolumeMeshParams& request);

}  // namespace kaname::jobs
