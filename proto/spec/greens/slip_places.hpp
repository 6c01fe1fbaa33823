// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "proto/kaname/v1/greens.pb.h"
#include "proto/spec/greens/sphere.hpp"

namespace kaname::spec {

/// Depth of what the specification does not say: a lid's under slabs and in volumes, a slab's; more
/// than most.
inline constexpr double kUnknownDepth_m = 100e3;

/// A rectangle with slip, from the middle of its upper edge.
struct SlipPlane {
    LonLat top;
    double top_depth_m = 0.0, strike_deg = 0.0, dip_deg = 0.0, length_m = 0.0, width_m = 0.0;
    /// Distance of a place at the ground.
    [[nodiscard]] double distance_m(const LonLat& place) const;
};

/// Where slip is, as far as the specification says it.
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

}  // namespace kaname::spec
