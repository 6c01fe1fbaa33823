// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "solvers/base/vec3.hpp"

namespace kaname::fault {

/// Slip given at points.
struct SlipTable {
    bool geographic = false;     ///< places are longitude [deg], latitude [deg], z up [m]
    bool by_components = false;  ///< slip is (strike_slip, dip_slip, 0), else (east, north, up)
    std::vector<Vec3> places;    ///< x east, y north, z up [m] unless geographic
    std::vector<Vec3> slip;      ///< [m] plus side (hanging wall) relative to the other
    std::vector<int> lines;      ///< line in the file, counted from 1
};

/// A comma-separated file. Its first line that is neither blank nor a comment (#) names the
/// columns, in any order: x_m, y_m or lon_deg, lat_deg; z_m (up) or depth_m (down); and
/// slip_east_m, slip_north_m, slip_up_m or strike_slip_m (left-lateral), dip_slip_m (reverse). _km
/// may stand for _m, of slip also _cm; slip is at most 100 m; other columns are passed over. Throws
/// ValidationError with every bad row as "file:line", NotFound when it cannot be read.
[[nodiscard]] SlipTable read_slip_table(const std::string& path);

}  // namespace kaname::fault
