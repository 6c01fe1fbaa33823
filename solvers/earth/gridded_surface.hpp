// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace kaname::earth {

/// Depths on a regular longitude-latitude grid; NaN where there is no data.
struct GriddedSurface {
    double lon0_deg = 0.0;
    double lat0_deg = 0.0;
    double spacing_lon_deg = 0.0;
    double spacing_lat_deg = 0.0;
    int n_lon = 0;
    int n_lat = 0;
    std::vector<double> depth_m;  ///< [n_lat][n_lon], positive down

    /// Bilinear; NaN outside or where a corner has no data.
    [[nodiscard]] double depth_at(double lon_deg, double lat_deg) const;
};

/// Reads `lon_deg,lat_deg,depth_km[,...]` rows (Slab2 text copies; `#` starts a comment line) by
/// header name, or a Slab2 netCDF grid (variables x, y, z; z in km, negative down). The kind is
/// taken from the content.
/// Throws NotFound (missing), InvalidArgument (truncated, no header, not a regular grid, no data).
[[nodiscard]] GriddedSurface read_gridded_surface(const std::string& path);

}  // namespace kaname::earth
