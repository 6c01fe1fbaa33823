// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/slip_model/corner_patch.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "solvers/base/units.hpp"

namespace kaname::slip_model {
namespace {

/// Corners [m] about their mean, turned so that 0-1 is the upper edge.
struct Ring {
    Place centre;
    std::array<Vec3, 4> at;
};

Ring ring_of(const std::array<Place, 4>& corners) {
    Vec3 mean;
    for (const Place& corner : corners) {
        mean += 0.25 * local_offset(corners[0], corner);
    }
    Ring ring;
    ring.centre = moved(corners[0], mean);
    std::array<Vec3, 4> at;
    for (int i = 0; i < 4; ++i) {
        at[i] = local_offset(ring.centre, corners[i]);
    }
    int upper = 0;
    for (int i = 1; i < 4; ++i) {
        // On a patch that lies flat the first edge stays the upper one.
        constexpr double kLevel_m = 1e-3;
        if (at[i].z + at[(i + 1) % 4].z > at[upper].z + at[(upper + 1) % 4].z + kLevel_m) {
            upper = i;
        }
    }
    for (int i = 0; i < 4; ++i) {
        ring.at[i] = at[(upper + i) % 4];
    }
    return ring;
}

}  // namespace

SlipPatch patch_of_corners(const std::array<Place, 4>& corners, const TextLine& line) {
    constexpr double kShape = 0.05;  // misfit / side: room for corners with few digits
    const Ring ring = ring_of(corners);
    const auto& at = ring.at;
    Vec3 edge = 0.5 * ((at[1] - at[0]) + (at[2] - at[3]));
    const Vec3 side = 0.5 * ((at[3] - at[0]) + (at[2] - at[1]));
    const double length = norm(edge);
    const double width = norm(side);
    const double smaller = std::min(length, width);
    if (!(smaller > 1e-3)) {
        line.refuse("corners: two of them are at one place");
    }
    const double skew = 0.5 * norm(at[0] + at[2] - at[1] - at[3]);
    const double oblique = std::abs(dot(edge, side)) / (length * width);
    if (skew > kShape * smaller || oblique > kShape) {
        line.refuse("corners: must go round a rectangle, they miss one by " +
                    std::to_string(static_cast<int>(std::lround(skew))) + " m and " +
                    std::to_string(oblique / kDegree) + " degrees");
    }
    if (std::abs(edge.z) > std::sin(5.0 * kDegree) * length) {
        line.refuse("corners: an edge must be level, the upper one drops by " +
                    std::to_string(std::abs(edge.z)) + " m");
    }
    SlipPatch patch;
    const double across = std::hypot(side.x, side.y);
    patch.dip_deg = std::atan2(std::max(-side.z, 0.0), across) / kDegree;
    // Dip to the right of strike: (edge x side) up is negative. At 90 degrees either way dips so.
    const double turn = edge.x * side.y - edge.y * side.x;
    constexpr double kVertical_deg = 89.95;
    if (patch.dip_deg > kVertical_deg) {
        patch.dip_deg = 90.0;
        if (edge.x < 0.0 || (edge.x == 0.0 && edge.y < 0.0)) {
            edge = -1.0 * edge;
        }
    } else if (turn > 0.0) {
        edge = -1.0 * edge;
    }
    patch.strike_deg = std::atan2(edge.x, edge.y) / kDegree;
    patch.length_m = length;
    patch.width_m = width;
    patch.lon_deg = ring.centre.lon_deg;
    patch.lat_deg = ring.centre.lat_deg;
    patch.depth_m = ring.centre.depth_m;
    return patch;
}

}  // namespace kaname::slip_model
