// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "solvers/base/units.hpp"

namespace kaname::spec {

inline constexpr double kMeanRadius_m = 6.371e6;

struct LonLat {
    double lon_deg, lat_deg;
    [[nodiscard]] LonLat swapped() const { return {lat_deg, lon_deg}; }
};

/// Great-circle distance on a sphere, by the haversine; huge where a latitude is none.
[[nodiscard]] inline double distance_m(const LonLat& a, const LonLat& b) {
    if (std::abs(a.lat_deg) > 90.0 || std::abs(b.lat_deg) > 90.0) {
        return kMeanRadius_m * 10.0;
    }
    const auto square_of_half = [](double degrees) {
        const double sine = std::sin(0.5 * degrees * kDegree);
        return sine * sine;
    };
    const double h = square_of_half(a.lat_deg - b.lat_deg) +
                     std::cos(a.lat_deg * kDegree) * std::cos(b.lat_deg * kDegree) *
                         square_of_half(a.lon_deg - b.lon_deg);
    return 2.0 * kMeanRadius_m * std::asin(std::sqrt(std::clamp(h, 0.0, 1.0)));
}

/// A place so far to the east and north of another, for some hundred kilometres.
[[nodiscard]] inline LonLat moved(const LonLat& from, double east_m, double north_m) {
    const double per_m = 1.0 / (kMeanRadius_m * kDegree);
    const double shrink = std::max(0.01, std::cos(from.lat_deg * kDegree));
    return {from.lon_deg + east_m * per_m / shrink,
            std::clamp(from.lat_deg + north_m * per_m, -90.0, 90.0)};
}

/// Middle of the extent, also across the date line; to a thousandth of a degree.
[[nodiscard]] inline LonLat middle_of(const std::vector<LonLat>& places) {
    const double lon = places.front().lon_deg;
    double west = 0.0, east = 0.0;
    double south = places.front().lat_deg, north = south;
    for (const LonLat& place : places) {
        const double d = std::remainder(place.lon_deg - lon, 360.0);
        west = std::min(west, d);
        east = std::max(east, d);
        south = std::min(south, place.lat_deg);
        north = std::max(north, place.lat_deg);
    }
    const auto round = [](double deg) { return 1e-3 * std::round(1e3 * deg); };
    return {round(std::remainder(lon + 0.5 * (west + east), 360.0)), round(0.5 * (south + north))};
}

}  // namespace kaname::spec
