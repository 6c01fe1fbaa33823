// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>

namespace kaname {

struct GeoPoint {
    double lon_deg = 0.0, lat_deg = 0.0;
};

/// Longitudes from `west` to the east as far as `east`, which is up to 360 degrees more: so a box
/// may lie across the date line.
struct GeoBox {
    double west_deg = 0.0;   ///< -180..180, 180 excluded
    double south_deg = 0.0;  ///< -90..90
    double east_deg = 0.0;   ///< west..west + 360
    double north_deg = 0.0;  ///< south..90

    friend bool operator==(const GeoBox&, const GeoBox&) = default;
};

/// The box with these sides; an east below the west lies behind the date line.
[[nodiscard]] GeoBox make_geo_box(double west_deg, double south_deg, double east_deg,
                                  double north_deg);
/// The narrowest box with all points; nothing without any.
[[nodiscard]] std::optional<GeoBox> geo_box_of(std::span<const GeoPoint> points);
/// A box with all places that are no farther from the point, along a great circle.
[[nodiscard]] GeoBox geo_box_around(const GeoPoint& point, double distance_km);
/// Along a great circle of a sphere to the nearest place of the box; 0 within it.
[[nodiscard]] double distance_km(const GeoPoint& point, const GeoBox& box);

}  // namespace kaname
