// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "proto/kaname/v1/greens.pb.h"
#include "proto/request/greens/stations.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/fault/slip_model/read_slip_model.hpp"

namespace kaname::request {

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

/// Depth of what the request does not say: a lid's under slabs and in volumes, a slab's; more
/// than most.
inline constexpr double kUnknownDepth_m = 100e3;

/// A point is a square of this part of its depth where it slips, and where it has a moment tensor
/// the mesh shows it as it would show a square of its depth.
inline constexpr double kSideOverDepth = 0.2;

/// A rectangle with slip, from the middle of its upper edge.
struct SlipPlane {
    LonLat top;
    double top_depth_m = 0.0, strike_deg = 0.0, dip_deg = 0.0, length_m = 0.0, width_m = 0.0;
    /// Distance of a place at the ground.
    [[nodiscard]] double distance_m(const LonLat& place) const;
};

/// Where slip is, as far as the request says it.
struct SlipPlaces {
    std::vector<LonLat> at;
    double deepest_m = 0.0;
    /// Holds the planes of slip whose depth is known, hence no patches of an interface.
    std::vector<SlipPlane> planes;
    /// Shorter side of what a source has to show: a rectangle, a hat of two spacings, or some
    /// patches of an event that has many. Infinite where files alone have slip.
    double side_m = std::numeric_limits<double>::infinity();

    void add(const LonLat& place, double depth_m) {
        at.push_back(place);
        deepest_m = std::max(deepest_m, depth_m);
    }
    /// Adds a rectangle by its centre, whose depth is plane.top_depth_m; one of `of` that an event
    /// has. plane.top is found here.
    void add_patch(const LonLat& centre, SlipPlane plane, int of);
};

/// A plane's, the patches' of an interface, and rectangles of events; empty where files alone have
/// slip (slip_files.hpp).
[[nodiscard]] SlipPlaces places_of_slip(const v1::GreensBatch& batch);

/// Places whose longitude and latitude stand in each other's stead although both are valid: farther
/// from the region than it is wide as given, and inside it when swapped. One violation for the
/// region's centre where that explains all of them.
[[nodiscard]] std::vector<Violation> swapped_places(const v1::GreensBatch& batch,
                                                    const std::vector<RequestStation>& stations);

/// Stations that lie farther from all slip than stations do and near it when swapped, for a region
/// that is chosen by the stations and so holds them anyway.
[[nodiscard]] std::vector<Violation> swapped_stations(const SlipPlaces& slip,
                                                      const std::vector<RequestStation>& stations);

/// How an event's file is read: its format and what it leaves unsaid.
[[nodiscard]] slip_model::ReadOptions read_options(const v1::SlipEvent& event);

/// Adds the patches of events' files to `slip`, of very large files every so many. Files of points
/// and those in a local frame without an origin in longitude and latitude are left out: the
/// request does not say where they are. Files have absolute paths; those without a sha256 are
/// left out. Returns one violation for each file that cannot be read.
[[nodiscard]] std::vector<Violation> add_slip_of_files(const v1::GreensBatch& batch,
                                                       SlipPlaces& slip);

}  // namespace kaname::request
