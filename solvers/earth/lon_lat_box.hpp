// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <string>

#include "solvers/earth/gridded_surface.hpp"
#include "solvers/earth/projection.hpp"

namespace kaname::earth {

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
