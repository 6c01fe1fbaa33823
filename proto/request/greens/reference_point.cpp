// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/greens/reference_point.hpp"

#include <cmath>

#include "solvers/base/units.hpp"

namespace kaname::request {
namespace {

constexpr double kTurn_deg = 90.0;  ///< from the strike to the direction of dip

/// Returns true if exactly one of top_centre and centre is given and it is whole.
template <class Rectangle>
bool has_one_point(const Rectangle& rectangle) {
    return rectangle.has_top_centre() != rectangle.has_centre() &&
           is_whole(rectangle.has_centre() ? rectangle.centre() : rectangle.top_centre());
}

bool has_older(const v1::Plane& plane) {
    return plane.has_centre_lon_deg() || plane.has_centre_lat_deg() || plane.has_top_depth_m();
}
bool has_older(const v1::SlipRectangle& rectangle) {
    return rectangle.has_lon_deg() || rectangle.has_lat_deg() || rectangle.has_depth_m();
}

/// Height of the centre below the upper edge, and its distance from it on the map [m].
template <class Rectangle>
double half_down_m(const Rectangle& rectangle) {
    return 0.5 * rectangle.width_m() * std::sin(rectangle.dip_deg() * kDegree);
}
template <class Rectangle>
double half_across_m(const Rectangle& rectangle) {
    return 0.5 * rectangle.width_m() * std::cos(rectangle.dip_deg() * kDegree);
}

/// Returns true if the angles and the width from which the other point follows are given.
template <class Rectangle>
bool has_shape(const Rectangle& rectangle) {
    return rectangle.has_strike_deg() && std::isfinite(rectangle.strike_deg()) &&
           rectangle.dip_deg() >= 0.0 && rectangle.dip_deg() <= kTurn_deg &&
           rectangle.width_m() > 0.0 && std::isfinite(rectangle.width_m());
}

template <class Rectangle>
bool check_one(const Rectangle& rectangle, const std::string& older, const std::string& path,
               Rules& rules) {
    if (!rectangle.has_top_centre() && !rectangle.has_centre()) {
        return true;
    }
    const std::string field = path + (rectangle.has_centre() ? ".centre" : ".top_centre");
    if (rectangle.has_top_centre() && rectangle.has_centre()) {
        rules.fail(field, "excludes top_centre; keep one");
        return false;
    }
    if (has_older(rectangle)) {
        rules.fail(field, "excludes " + older + "; keep one");
        return false;
    }
    const v1::WavePlace& at = rectangle.has_centre() ? rectangle.centre() : rectangle.top_centre();
    if (at.has_x_m() || at.has_y_m() || at.has_z_m()) {
        rules.fail(field, "must have lon_deg, lat_deg and depth_m alone");
        return false;
    }
    rules.place(field + ".", at.has_lon_deg(), at.lon_deg(), at.has_lat_deg(), at.lat_deg());
    const std::string depth = field + ".depth_m";
    if (!rules.given(depth, at.has_depth_m())) {
        return false;
    }
    const double least_m =
        rectangle.has_centre() && has_shape(rectangle) ? half_down_m(rectangle) : 0.0;
    if (at.depth_m() < 0.0 || (at.depth_m() < least_m && rectangle.has_centre())) {
        rules.fail(depth, least_m > 0.0
                              ? "must be at least half the width down the dip, " +
                                    rules.in_unit_of(depth, least_m) +
                                    ", or the upper edge is above the ground; got " +
                                    rules.in_unit_of(depth, at.depth_m())
                              : "must be >= 0, got " + rules.in_unit_of(depth, at.depth_m()));
    }
    return false;
}

}  // namespace

LonLat moved_to(const LonLat& start, double azimuth_deg, double distance_m) {
    constexpr double kAxis_m = 6378137.0, kFlattening = 1.0 / 298.257223563;
    constexpr double kSquare = kFlattening * (2.0 - kFlattening);  // of the eccentricity
    constexpr int kRounds = 6;
    // Gauss's formulae of the middle latitude, whose azimuth is that of the end turned by half of
    // what the meridians converge.
    double d_lat = 0.0, d_lon = 0.0;
    for (int round = 0; round < kRounds; ++round) {
        const double middle = start.lat_deg * kDegree + 0.5 * d_lat;
        const double azimuth = azimuth_deg * kDegree - 0.5 * d_lon * std::sin(middle);
        const double w = 1.0 - kSquare * std::pow(std::sin(middle), 2);
        const double along_m = kAxis_m * (1.0 - kSquare) / std::pow(w, 1.5);
        const double across_m = kAxis_m / std::sqrt(w);
        d_lat = distance_m * std::cos(azimuth) / along_m;
        d_lon = distance_m * std::sin(azimuth) / (across_m * std::max(1e-6, std::cos(middle)));
    }
    return {start.lon_deg + d_lon / kDegree, start.lat_deg + d_lat / kDegree};
}

bool is_whole(const v1::WavePlace& place) {
    return place.has_lon_deg() && place.has_lat_deg() && place.has_depth_m() && !place.has_x_m() &&
           !place.has_y_m() && !place.has_z_m() && place.lon_deg() >= -180.0 &&
           place.lon_deg() <= 360.0 && std::abs(place.lat_deg()) <= 90.0 &&
           place.depth_m() >= 0.0 && std::isfinite(place.depth_m());
}

void settle_point(v1::Plane& plane) {
    if (!has_one_point(plane) || has_older(plane)) {
        return;
    }
    const v1::WavePlace at = plane.has_centre() ? plane.centre() : plane.top_centre();
    LonLat top{at.lon_deg(), at.lat_deg()};
    double depth_m = at.depth_m();
    if (plane.has_centre()) {
        depth_m -= half_down_m(plane);
        if (!has_shape(plane) || depth_m < 0.0) {
            return;
        }
        top = moved_to(top, plane.strike_deg() - kTurn_deg, half_across_m(plane));
    }
    plane.clear_centre();
    plane.clear_top_centre();
    plane.set_centre_lon_deg(top.lon_deg);
    plane.set_centre_lat_deg(top.lat_deg);
    plane.set_top_depth_m(depth_m);
}

void settle_point(v1::SlipRectangle& rectangle) {
    if (!has_one_point(rectangle) || has_older(rectangle)) {
        return;
    }
    const v1::WavePlace at = rectangle.has_centre() ? rectangle.centre() : rectangle.top_centre();
    LonLat centre{at.lon_deg(), at.lat_deg()};
    double depth_m = at.depth_m();
    if (rectangle.has_top_centre()) {
        if (!has_shape(rectangle)) {
            return;
        }
        depth_m += half_down_m(rectangle);
        centre = moved_to(centre, rectangle.strike_deg() + kTurn_deg, half_across_m(rectangle));
    } else if (has_shape(rectangle) && depth_m < half_down_m(rectangle)) {
        return;
    }
    rectangle.clear_centre();
    rectangle.clear_top_centre();
    rectangle.set_lon_deg(centre.lon_deg);
    rectangle.set_lat_deg(centre.lat_deg);
    rectangle.set_depth_m(depth_m);
}

bool check_point(const v1::Plane& plane, const std::string& path, Rules& rules) {
    return check_one(plane, "centre_lon_deg, centre_lat_deg and top_depth_m", path, rules);
}

bool check_point(const v1::SlipRectangle& rectangle, const std::string& path, Rules& rules) {
    return check_one(rectangle, "lon_deg, lat_deg and depth_m", path, rules);
}

}  // namespace kaname::request
