// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/earth/projection.hpp"

namespace kaname::slip_model {

/// Slip at a point: along the strike of the fault there (left-lateral > 0), up its dip (reverse
/// > 0) and opening; or a vector east, north, up, hanging wall relative to footwall.
struct SlipPoint {
    double lon_deg = 0.0;  ///< tables with lon_deg, lat_deg
    double lat_deg = 0.0;
    double x_m = 0.0;  ///< tables with x_m, y_m (model frame)
    double y_m = 0.0;
    double depth_m = 0.0;  ///< positive down
    double strike_slip_m = 0.0;
    double dip_slip_m = 0.0;
    double opening_m = 0.0;
    Vec3 slip_m;  ///< tables with slip_east_m, slip_north_m, slip_up_m
};

struct SlipPoints {
    std::string name;
    bool geographic = true;  ///< lon_deg, lat_deg; else x_m, y_m
    bool components = true;  ///< strike_slip_m, dip_slip_m, opening_m; else slip_m
    std::vector<SlipPoint> points;
};

/// CSV with a header row: lon_deg, lat_deg, depth_m (or depth_km) or x_m, y_m, z_m (up); then
/// strike_slip_m, dip_slip_m and optionally opening_m, or slip_m and rake_deg, or slip_east_m,
/// slip_north_m, slip_up_m. Columns in any order. Throws NotFound, or InvalidArgument as
/// "file:line: field: value, rule".
[[nodiscard]] SlipPoints read_slip_points(const std::filesystem::path& path);

/// Where the points are in the model frame [m], in their order. East and north of a slip vector are
/// true: with `projection` slip_m is turned by the convergence at its point. Throws InvalidArgument
/// when `projection` is missing for a table in longitude and latitude.
struct PlacedPoint {
    Vec3 x;
    Vec3 slip_m;  ///< tables with a vector
};
[[nodiscard]] std::vector<PlacedPoint> place(const SlipPoints& table,
                                             const earth::Projection* projection);

}  // namespace kaname::slip_model
