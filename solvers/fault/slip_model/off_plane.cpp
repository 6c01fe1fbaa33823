// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/slip_model/off_plane.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "solvers/base/units.hpp"

namespace kaname::slip_model {
namespace {

constexpr double kOff = 0.05;        // distance from the plane / patch width
constexpr double kTurned_deg = 2.0;  // angle between the normals

}  // namespace

std::string off_plane(const PlacedPatch& first, const PlacedPatch& patch) {
    const Vec3 normal = first.normal();
    const double off_m = std::abs(dot(patch.centre - first.centre, normal));
    const double turned_deg =
        std::acos(std::min(1.0, std::abs(dot(patch.normal(), normal)))) / kDegree;
    const double most_m = kOff * patch.width_m;
    if (off_m <= most_m && turned_deg <= kTurned_deg) {
        return "";
    }
    char text[256];
    std::snprintf(text, sizeof text,
                  "lies %.0f m off the plane of the first patch and is turned by %.1f degrees "
                  "(at most %.0f m, 5 %% of its width, and %g degrees); that plane has strike "
                  "%.1f and dip %.1f degrees",
                  off_m, turned_deg, most_m, kTurned_deg, first.strike_rad / kDegree,
                  first.dip_rad / kDegree);
    return text;
}

}  // namespace kaname::slip_model
