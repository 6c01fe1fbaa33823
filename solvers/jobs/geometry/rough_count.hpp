// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/meshing/cleaving/volume_request.hpp"

namespace kaname::jobs {

/// Elements that the mesher makes per size^3: 13 in a leaf of its octree, whose edge is 0.75 to 1.5
/// sizes, evenly in its logarithm.
inline constexpr double kTetsPerSizeCubed = 13.2;

/// Elements that the sizes of a request come to, within a factor of about 1.5, at a cost that does
/// not depend on their number: for requests that are too large for MeshSource::estimate().
///   sum over cubes of  V <kTetsPerSizeCubed / size^3>,  the sizes in a cube taken as spread evenly
[[nodiscard]] double rough_count(const cleaving::VolumeMeshParams& request);

}  // namespace kaname::jobs
