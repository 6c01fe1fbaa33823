// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <limits>
#include <string>
#include <vector>

#include "solvers/earth/projection.hpp"

namespace kaname::earth {

/// Depths on a regular longitude-latitude grid; NaN where there is no data.
struct GriddedSurface {
    double lon0_deg = 0.0;
    double lat0_deg = 0.0;
    double spacing_lon_deg = 0.0;
    double spacing_lat_deg = 0.0;
    int n_lon = 0;
    int n_lat = 0;
    std::vector<double> depth_m;  ///< [n_lat][n_lon], positive down: elevation is negative depth

    /// Bilinear interpolation [m]; NaN outside or where a corner has no data. A grid around the
    /// globe has no seam.
    [[nodiscard]] double depth_at(double lon_deg, double lat_deg) const;
    /// True inside the grid, whether there is data or not.
    [[nodiscard]] bool covers(double lon_deg, double lat_deg) const;
};

/// Gives the facts that a surface's file may not contain.
struct SurfaceFileRules {
    /// In a csv file the column, whose name says depth or elevation (height, top_...) and ends with
    /// _km or _m; empty: the only one of depth_km, depth_m, elevation_km, elevation_m. In a netCDF
    /// file the variable, an elevation unless its name says depth; empty: z, elevation or depth.
    /// For an ASCII grid: empty, elevation or depth.
    std::string column;
    /// km or m; empty: a netCDF variable's attribute `units`, else km (Slab2); m in an ASCII grid.
    std::string unit;
};

/// Reads csv rows (`lon_deg,lat_deg,...`; # starts a comment line; nan is a gap), a netCDF-4 grid
/// (x, lon or longitude; y, lat or latitude; packed values and _FillValue are understood) or an
/// ESRI ASCII grid (header lines "name value" or "value name"; xll and xllcenter are nodes,
/// xllcorner a cell's corner). The kind is taken from the content.
/// Throws NotFound (missing), InvalidArgument (truncated, no header, not a regular grid, no data,
/// heights that no unit explains).
[[nodiscard]] GriddedSurface read_surface_file(const std::string& path,
                                               const SurfaceFileRules& rules);

/// Smallest box of longitudes and latitudes around places, for messages.
struct LonLatBox {
    double west = std::numeric_limits<double>::infinity(), east = -west, south = west,
           north = -west;

    void add(LonLat place);
    /// "longitude 134.00..136.00, latitude 33.00..35.00"
    [[nodiscard]] std::string text() const;
};

[[nodiscard]] LonLatBox extent(const GriddedSurface& grid);

/// "longitude 134.00, latitude 33.00"
[[nodiscard]] std::string text_of(LonLat place);

}  // namespace kaname::earth
