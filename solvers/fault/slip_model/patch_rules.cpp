// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/slip_model/patch_rules.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>
#include <string>

#include "solvers/base/units.hpp"

namespace kaname::slip_model {
namespace {

struct Rule {
    const char* field;
    double value;
    double low;
    double high;
    const char* text;
};

std::string as_text(double value) {
    std::ostringstream out;
    out << value;
    return out.str();
}

}  // namespace

void add_patch(SlipModel& model, SlipPatch patch, const TextLine& line) {
    const Rule rules[] = {
        {"latitude", patch.lat_deg, -90.0, 90.0, "must be from -90 to 90 degrees"},
        {"longitude", patch.lon_deg, -360.0, 360.0, "must be from -360 to 360 degrees"},
        {"east", patch.east_m, -1e7, 1e7, "m must be within 10,000 km of the frame's origin"},
        {"north", patch.north_m, -1e7, 1e7, "m must be within 10,000 km of the frame's origin"},
        {"depth", patch.depth_m, -9e3, 8e5,
         "m must be from -9 km (depth counts down from sea level) to 800 km"},
        {"length", patch.length_m, 1e-3, 2e6, "m must be > 0 and at most 2000 km"},
        {"width", patch.width_m, 1e-3, 2e6, "m must be > 0 and at most 2000 km"},
        {"strike", patch.strike_deg, -360.0, 720.0, "must be from -360 to 720 degrees"},
        {"dip", patch.dip_deg, 0.0, 90.0,
         "must be from 0 to 90 degrees (a plane that dips the other way has strike + 180)"},
        {"rake", patch.rake_deg, -720.0, 720.0, "must be from -720 to 720 degrees"},
        {"slip", patch.slip_m, 0.0, 100.0,
         "m must be from 0 to 100 m (opposite slip has rake + 180; are the units right?)"},
        {"opening", patch.opening_m, -100.0, 100.0, "m must be from -100 to 100 m"},
        {"rupture time", patch.rupture_time_s.value_or(0.0), -1e4, 1e6,
         "s must be from -10,000 to 1,000,000 s"},
        {"rise time", patch.rise_time_s.value_or(0.0), 0.0, 1e6, "s must be from 0 to 1,000,000 s"},
        {"moment", patch.moment_nm.value_or(0.0), 0.0, 1e25, "N m must be from 0 to 1e25 N m"},
    };
    for (const Rule& rule : rules) {
        if (!(rule.value >= rule.low && rule.value <= rule.high)) {
            line.refuse(rule.field, as_text(rule.value), rule.text);
        }
    }
    if (model.patches.size() >= static_cast<std::size_t>(kMostPatches)) {
        line.refuse("patches: must be at most " + std::to_string(kMostPatches));
    }
    patch.strike_deg -= 360.0 * std::floor(patch.strike_deg / 360.0);
    patch.lon_deg = std::remainder(patch.lon_deg, 360.0);
    model.patches.push_back(std::move(patch));
}

void split_into_segments(SlipModel& model) {
    constexpr double kAngle_deg = 1.0;
    constexpr double kSize = 0.01;
    const SlipPatch* first = nullptr;
    const auto same_size = [](double a, double b) { return std::abs(a - b) <= kSize * b; };
    for (SlipPatch& patch : model.patches) {
        const bool fits =
            first != nullptr &&
            std::abs(std::remainder(patch.strike_deg - first->strike_deg, 360.0)) <= kAngle_deg &&
            std::abs(patch.dip_deg - first->dip_deg) <= kAngle_deg &&
            same_size(patch.length_m, first->length_m) && same_size(patch.width_m, first->width_m);
        if (!fits) {
            first = &patch;
            model.segments.push_back({patch.strike_deg, patch.dip_deg});
        }
        patch.segment = static_cast<int>(model.segments.size()) - 1;
    }
}

void check_patches(const SlipModel& model, const TextFile& file) {
    if (model.patches.empty()) {
        file.whole().refuse("holds no patch");
    }
    const auto slips = [](const SlipPatch& patch) {
        return patch.slip_m > 0.0 || patch.opening_m != 0.0;
    };
    if (std::none_of(model.patches.begin(), model.patches.end(), slips)) {
        file.whole().refuse("slip is zero on every patch");
    }
    const auto [shallowest, deepest] =
        std::ranges::minmax_element(model.patches, {}, &SlipPatch::depth_m);
    if (deepest->depth_m < 0.0) {
        file.whole().refuse("depth: must be positive down, got centres of patches from " +
                            as_text(shallowest->depth_m / kMetresPerKm) + " to " +
                            as_text(deepest->depth_m / kMetresPerKm) + " km");
    }
}

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
