// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/jobs/geometry/job_geometry.hpp"
#include "solvers/jobs/greens/surface_points.hpp"

namespace kaname::jobs {

/// Where the job's stations are in the mesh, in its first part; those on a fault on its plus side.
[[nodiscard]] std::vector<p2::Location> station_places(const JobGeometry& geometry,
                                                       const mesh::TetMesh& mesh,
                                                       const fault::SplitNodes& split);

/// Where motion is taken: at the stations, then at the points of the surface where results hold it.
/// In a mesh of several parts the motion of a point is the sum of that at its places in all parts.
struct ObservedPlaces {
    std::vector<p2::Location> places;  ///< those in the first part stand first, one for each point
    std::vector<std::int32_t> point;   ///< which point each place is of
};
[[nodiscard]] ObservedPlaces observed_places(const GreensJob& job, const JobGeometry& geometry,
                                             const mesh::TetMesh& mesh, const p2::DofMap& dofs,
                                             const fault::SplitNodes& split);

}  // namespace kaname::jobs
