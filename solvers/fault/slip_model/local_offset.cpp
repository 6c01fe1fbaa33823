// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/slip_model/local_offset.hpp"

#include <cmath>

#include "solvers/base/units.hpp"

namespace kaname::slip_model {
namespace {

/// Metres per radian of latitude and longitude on WGS84.
struct Radii {
    double north_m = 0.0;
    double east_m = 0.0;
};

Radii radii_at(double lat_deg) {
    constexpr double kMajorAxis_m = 6378137.0;
    constexpr double kFlattening = 1.0 / 298.257223563;
    constexpr double kE2 = kFlattening * (2.0 - kFlattening);
    const double sine = std::sin(lat_deg * kDegree);
    // M = a (1 - e^2) / (1 - e^2 sin^2)^(3/2), N = a / (1 - e^2 sin^2)^(1/2)
    const double w2 = 1.0 - kE2 * sine * sine;
    const double n = kMajorAxis_m / std::sqrt(w2);
    return {n * (1.0 - kE2) / w2, n * std::cos(lat_deg * kDegree)};
}

}  // namespace

Vec3 local_offset(const Place& from, const Place& to) {
    const Radii radii = radii_at(from.lat_deg);
    // remainder: the short way round at the date line.
    return {std::remainder(to.lon_deg - from.lon_deg, 360.0) * kDegree * radii.east_m,
            (to.lat_deg - from.lat_deg) * kDegree * radii.north_m, from.depth_m - to.depth_m};
}

Place moved(const Place& from, const Vec3& offset) {
    const Radii radii = radii_at(from.lat_deg);
    return {from.lon_deg + offset.x / radii.east_m / kDegree,
            from.lat_deg + offset.y / radii.north_m / kDegree, from.depth_m - offset.z};
}

PlaneAxes plane_axes(double strike_rad, double dip_rad) {
    const double sin_strike = std::sin(strike_rad);
    const double cos_strike = std::cos(strike_rad);
    const double sin_dip = std::sin(dip_rad);
    const double cos_dip = std::cos(dip_rad);
    PlaneAxes axes;
    axes.along_strike = {sin_strike, cos_strike, 0.0};
    axes.down_dip = {cos_strike * cos_dip, -sin_strike * cos_dip, -sin_dip};
    axes.normal = {cos_strike * sin_dip, -sin_strike * sin_dip, cos_dip};
    return axes;
}

}  // namespace kaname::slip_model
