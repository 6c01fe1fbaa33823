// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "worker/jobs/stage/greens_job.hpp"

namespace kaname::jobs {

/// Displacement or traction given at points.
struct BoundaryTable {
    bool geographic = false;   ///< places are longitude [deg], latitude [deg], z up [m]
    std::vector<Vec3> places;  ///< x east, y north, z up [m] unless geographic
    std::vector<Vec3>
        values;  ///< east, north, up [m or Pa]; 0 in components that are not asked for
};

/// A comma-separated file with a header; lines that start with # are comments. Columns in any
/// order: x_m, y_m or lon_deg, lat_deg; z_m (up) or depth_m (down); and for every component that
/// the data prescribe east_m, north_m, up_m, or east_pa, north_pa, up_pa. _km may stand for the _m
/// of a place, _mm and _cm for that of a displacement, _mpa for _pa. Throws Error as "file:line:
/// ...".
[[nodiscard]] BoundaryTable read_boundary_table(const BoundaryDataSpec& data);

}  // namespace kaname::jobs
