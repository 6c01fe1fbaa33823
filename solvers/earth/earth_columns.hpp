// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "solvers/earth/depth_profile.hpp"
#include "solvers/earth/lon_lat_box.hpp"

namespace kaname::earth {

/// One layer of a CRUST1.0-like table: what it is made of in every cell of longitude and latitude.
struct EarthColumns {
    struct Cell {
        LonLat centre;
        Speeds speeds;
        bool has_layer = false;  ///< the layer is solid and has a thickness here
    };
    std::vector<Cell> cells;  ///< in the file's order
    double spacing_lon_deg = 0.0, spacing_lat_deg = 0.0;

    /// Cell nearest to a place, and whether the place is inside it.
    struct Nearest {
        int cell = 0;
        bool inside = false;
    };
    [[nodiscard]] Nearest nearest(LonLat place) const;
    /// Nearest cell that has the layer; `cell` itself when it does.
    [[nodiscard]] int with_layer(int cell) const;
    [[nodiscard]] LonLatBox extent() const;

    // Cell of every node of the regular grid that holds the centres; -1: not in the table.
    std::vector<int> cell_at;  ///< [n_lat][n_lon]
    double lon0_deg = 0.0, lat0_deg = 0.0;
    int n_lon = 0, n_lat = 0;
};

/// Reads lon_deg, lat_deg (cell centres), vp_LAYER, vs_LAYER [km/s], rho_LAYER [g/cm3] and, where
/// the table has it, top_LAYER_km with the tops of the layers below it. A cell whose layer has
/// vs = 0 or ends where it begins does not have it.
/// Throws NotFound, InvalidArgument (no such layer, nan, no regular grid, no cell has the layer),
/// naming line and place.
[[nodiscard]] EarthColumns read_earth_columns(const std::string& path, const std::string& layer);

}  // namespace kaname::earth
