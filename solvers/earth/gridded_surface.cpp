// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/gridded_surface.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/earth/grid_readers.hpp"
#include "solvers/h5/file.hpp"

namespace kaname::earth {
namespace {

struct Cell {
    double u = 0.0, v = 0.0;  ///< column and row, as real numbers
    bool inside = false;
};

bool is_round_the_globe(const GriddedSurface& grid) {
    constexpr double kRoom = 1e-3;  // tolerance in cells
    return (grid.n_lon + kRoom) * grid.spacing_lon_deg >= 360.0;
}

Cell find_cell(const GriddedSurface& grid, double lon_deg, double lat_deg) {
    // Grids count longitude from 0 or from -180.
    const double east = lon_deg - grid.lon0_deg;
    Cell cell;
    cell.u = (east - 360.0 * std::floor(east / 360.0)) / grid.spacing_lon_deg;
    cell.v = (lat_deg - grid.lat0_deg) / grid.spacing_lat_deg;
    cell.inside = (cell.u <= grid.n_lon - 1 || is_round_the_globe(grid)) && cell.v >= 0.0 &&
                  cell.v <= grid.n_lat - 1;
    return cell;
}

/// Refuses heights that nothing on Earth has: a wrong unit or sign.
void check_heights(const std::string& path, const GriddedSurface& grid) {
    constexpr double kHighest_m = 20e3;
    constexpr double kDeepest_m = 6371e3;
    bool any = false;
    for (std::size_t at = 0; at < grid.depth_m.size(); ++at) {
        const double depth = grid.depth_m[at];
        any = any || std::isfinite(depth);
        if (depth < -kHighest_m || depth > kDeepest_m) {
            const auto i = static_cast<double>(at % static_cast<std::size_t>(grid.n_lon));
            const auto j = static_cast<double>(at / static_cast<std::size_t>(grid.n_lon));
            refuse_file(path, "lies " + std::to_string(-depth / kMetresPerKm) +
                                  " km above sea level at longitude " +
                                  std::to_string(grid.lon0_deg + i * grid.spacing_lon_deg) +
                                  ", latitude " +
                                  std::to_string(grid.lat0_deg + j * grid.spacing_lat_deg) +
                                  ", must be between -6371 and 20 km: is its unit (km, m) or its "
                                  "sign (depth, elevation) another one?");
        }
    }
    if (!any) {
        refuse_file(path, "holds no depth");
    }
}

bool is_ascii_grid(const TextFile& file) {
    const std::vector<std::string_view> cells = cells_of(file.lines().front().text);
    return cells.size() == 2 &&
           (lower_case(cells[0]) == "ncols" || lower_case(cells[1]) == "ncols");
}

/// netCDF-3: "CDF" and a byte below 9.
bool is_old_netcdf(const std::string& path) {
    char head[4] = {};
    std::ifstream(path, std::ios::binary).read(head, sizeof head);
    return std::string_view(head, 3) == "CDF" && head[3] > 0 && head[3] < 9;
}

}  // namespace

bool GriddedSurface::covers(double lon_deg, double lat_deg) const {
    return find_cell(*this, lon_deg, lat_deg).inside;
}

double GriddedSurface::depth_at(double lon_deg, double lat_deg) const {
    const Cell cell = find_cell(*this, lon_deg, lat_deg);
    if (!cell.inside) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    const bool seam = cell.u > n_lon - 1;  // only round the globe: east of the last is the first
    const int i = seam ? n_lon - 1 : std::min(static_cast<int>(cell.u), n_lon - 2);
    const int east = seam ? 0 : i + 1;
    const int j = std::min(static_cast<int>(cell.v), n_lat - 2);
    const double a = seam ? std::min(cell.u - i, 1.0) : cell.u - i;
    const double b = cell.v - j;
    const double* south = &depth_m[static_cast<std::size_t>(j) * n_lon];
    const double* north = south + n_lon;
    return (1 - b) * ((1 - a) * south[i] + a * south[east]) +
           b * ((1 - a) * north[i] + a * north[east]);
}

GriddedSurface read_surface_file(const std::string& path, const SurfaceFileRules& rules) {
    if (!rules.unit.empty() && rules.unit != "km" && rules.unit != "m") {
        refuse_file(path, "unit must be km or m, got '" + rules.unit + "'");
    }
    GriddedSurface grid;
    if (h5::has_hdf5_signature(path)) {
        grid = read_netcdf_grid(path, rules);
    } else if (is_old_netcdf(path)) {
        refuse_file(path, "is a netCDF-3 file; must be netCDF-4 (nccopy -k nc4 converts it)");
    } else {
        const TextFile file(path);
        grid = is_ascii_grid(file) ? read_ascii_grid(file, rules) : read_csv_grid(file, rules);
    }
    check_heights(path, grid);
    return grid;
}

void LonLatBox::add(LonLat place) {
    west = std::min(west, place.lon_deg);
    east = std::max(east, place.lon_deg);
    south = std::min(south, place.lat_deg);
    north = std::max(north, place.lat_deg);
}

std::string LonLatBox::text() const {
    char out[96];
    std::snprintf(out, sizeof out, "longitude %.2f..%.2f, latitude %.2f..%.2f", west, east, south,
                  north);
    return out;
}

LonLatBox extent(const GriddedSurface& grid) {
    LonLatBox box;
    box.add({grid.lon0_deg, grid.lat0_deg});
    box.add({grid.lon0_deg + (grid.n_lon - 1) * grid.spacing_lon_deg,
             grid.lat0_deg + (grid.n_lat - 1) * grid.spacing_lat_deg});
    return box;
}

std::string text_of(LonLat place) {
    char out[64];
    std::snprintf(out, sizeof out, "longitude %.2f, latitude %.2f", place.lon_deg, place.lat_deg);
    return out;
}

}  // namespace kaname::earth
