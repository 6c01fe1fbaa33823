// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/lon_lat_box.hpp"

#include <algorithm>
#include <cstdio>

namespace kaname::earth {

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
