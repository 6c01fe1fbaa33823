// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/base/vec3.hpp"

namespace kaname::slip_model {

/// A place below sea level.
struct Place {
    double lon_deg = 0.0;
    double lat_deg = 0.0;
    double depth_m = 0.0;
};

/// East, north, up [m] from `from` to `to` in the plane that touches WGS84 at `from`'s latitude
/// (radii of curvature there). For the few kilometres within a patch and between neighbours:
/// the error grows as distance^2 tan(latitude) / (2 R), 0.1 m at 1 km, 8 m at 10 km in
/// mid-latitudes.
[[nodiscard]] Vec3 local_offset(const Place& from, const Place& to);
/// The place at `offset` from `from`: the inverse of local_offset.
[[nodiscard]] Place moved(const Place& from, const Vec3& offset);

/// Unit vectors of a plane (east, north, up).
struct PlaneAxes {
    Vec3 along_strike;
    Vec3 down_dip;
    Vec3 normal;  ///< into the hanging wall: up, for dip = 90 to the right of strike
};
[[nodiscard]] PlaneAxes plane_axes(double strike_rad, double dip_rad);

}  // namespace kaname::slip_model
