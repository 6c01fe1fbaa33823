// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/geo_box.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "solvers/base/units.hpp"

namespace kaname {
namespace {

constexpr double kRadius_km = 6371.0;
constexpr double kTurn_deg = 360.0;

/// In 0..360, 360 excluded.
double eastwards(double degrees) {
    const double turned = degrees - kTurn_deg * std::floor(degrees / kTurn_deg);
    return turned < kTurn_deg ? turned : 0.0;  // what was just below 0
}

double wrapped(double lon_deg) {
    return eastwards(lon_deg + 180.0) - 180.0;
}

double sine(double degrees) {
    return std::sin(degrees * kDegree);
}

double cosine(double degrees) {
    return std::cos(degrees * kDegree);
}

}  // namespace

GeoBox make_geo_box(double west_deg, double south_deg, double east_deg, double north_deg) {
    const double width = east_deg - west_deg;
    // The whole circle is no empty one.
    const double turned = width >= kTurn_deg ? kTurn_deg : eastwards(width);
    const double west = wrapped(west_deg);
    return {west, south_deg, west + turned, north_deg};
}

std::optional<GeoBox> geo_box_of(std::span<const GeoPoint> points) {
    if (points.empty()) {
        return std::nullopt;
    }
    GeoBox box{0.0, points[0].lat_deg, 0.0, points[0].lat_deg};
    std::vector<double> lons;
    for (const GeoPoint& point : points) {
        lons.push_back(wrapped(point.lon_deg));
        box.south_deg = std::min(box.south_deg, point.lat_deg);
        box.north_deg = std::max(box.north_deg, point.lat_deg);
    }
    std::ranges::sort(lons);
    // All of the circle but the widest gap between neighbours.
    box.west_deg = lons.front();
    box.east_deg = lons.back();
    double widest = lons.front() + kTurn_deg - lons.back();
    for (std::size_t k = 1; k < lons.size(); ++k) {
        if (lons[k] - lons[k - 1] > widest) {
            widest = lons[k] - lons[k - 1];
            box.west_deg = lons[k];
            box.east_deg = lons[k - 1] + kTurn_deg;
        }
    }
    return box;
}

GeoBox geo_box_around(const GeoPoint& point, double distance_km) {
    const double angle = distance_km / kRadius_km / kDegree;
    const double south = point.lat_deg - angle, north = point.lat_deg + angle;
    if (south <= -90.0 || north >= 90.0) {  // a pole, and so every longitude
        return {-180.0, std::max(south, -90.0), 180.0, std::min(north, 90.0)};
    }
    const double aside = std::asin(std::min(1.0, sine(angle) / cosine(point.lat_deg))) / kDegree;
    return make_geo_box(point.lon_deg - aside, south, point.lon_deg + aside, north);
}

double distance_km(const GeoPoint& point, const GeoBox& box) {
    const double width = box.east_deg - box.west_deg;
    const double east_of_west = eastwards(point.lon_deg - box.west_deg);
    if (east_of_west <= width) {
        return kRadius_km * kDegree *
               std::max({box.south_deg - point.lat_deg, point.lat_deg - box.north_deg, 0.0});
    }
    // On the nearer side, a piece of a meridian: its latitude that is nearest to the point, or the
    // end that is nearer to that.
    const double off = std::min(east_of_west - width, kTurn_deg - east_of_west);
    const double best =
        std::atan2(sine(point.lat_deg), cosine(point.lat_deg) * cosine(off)) / kDegree;
    const double lat = best >= box.south_deg && best <= box.north_deg ? best
                       : cosine(box.south_deg - best) > cosine(box.north_deg - best)
                           ? box.south_deg
                           : box.north_deg;
    const double of_lat = sine(0.5 * (point.lat_deg - lat)), of_lon = sine(0.5 * off);
    const double h = of_lat * of_lat + cosine(point.lat_deg) * cosine(lat) * of_lon * of_lon;
    return 2.0 * kRadius_km * std::asin(std::sqrt(std::min(1.0, h)));
}

}  // namespace kaname
