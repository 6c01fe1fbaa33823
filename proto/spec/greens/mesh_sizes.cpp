// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/greens/mesh_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "proto/spec/greens/box.hpp"
#include "proto/spec/greens/scenario.hpp"

namespace kaname::spec {
namespace {

constexpr double kErrorAtDistance = 0.029, kOrder = 2.5;
// Elements across the shorter side of what slips: fewer do not show it, more are not worth their
// time beside a station on the fault. Stations that are far feel no more than the fewest; rock that
// relaxes about the slip, what is asked of the rock itself, and the ground everywhere do.
constexpr double kFewestPerSide = 6.0, kFewestInside = 8.0, kMostPerSide = 16.0;

/// Distance of the slip from the nearest station; from the ground above it without any. Infinite
/// where its depth is not known.
double nearest_m(const SlipPlaces& slip, const std::vector<SpecStation>& stations) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const SlipPlane& plane : slip.planes) {
        if (stations.empty()) {
            nearest = std::min(nearest, plane.top_depth_m);
        }
        for (const SpecStation& station : stations) {
            nearest = std::min(nearest, plane.distance_m({station.lon_deg, station.lat_deg}));
        }
    }
    return nearest;
}

/// Returns true if stations at the ground, and nothing else, feel the slip, in elastic rock.
bool felt_by_stations_alone(const v1::GreensBatch& batch, const SlipPlaces& slip,
                            const std::vector<SpecStation>& stations) {
    return !stations.empty() && !slip.planes.empty() && !batch.output().has_volume() &&
           std::ranges::none_of(
               stations,
               [](const SpecStation& station) { return station.depth_m.value_or(0.0) > 0.0; }) &&
           !relaxes_about_slip(batch, slip, [](const SlipPlane&) { return true; });
}

}  // namespace

double rounded_down(double m) {
    const double digit = std::pow(10.0, std::floor(std::log10(m)) - 1.0);
    return digit * std::floor(m / digit * (1.0 + 1e-9));
}

double size_error(double size_m, double distance_m) {
    return kErrorAtDistance * std::pow(size_m / distance_m, kOrder);
}

std::string choose_size_at_fault(v1::GreensBatch& batch, const SlipPlaces& slip,
                                 const std::vector<SpecStation>& stations) {
    v1::Mesh& mesh = *batch.mutable_mesh();
    if (is_scenario(batch) && batch.events().empty() && mesh.size_at_fault_m() == 0.0) {
        mesh.set_size_at_fault_m(mesh.size_far_m());  // there is no fault: sides alone move
        return "";
    }
    if (mesh.size_at_fault_m() != 0.0 || mesh.has_file() || !batch.region().crs().empty() ||
        !std::isfinite(slip.side_m) || !(slip.side_m > 0.0)) {
        return "";
    }
    const double away_m = nearest_m(slip, stations);
    const double wanted_m = away_m * std::pow(kSizeError / kErrorAtDistance, 1.0 / kOrder);
    double size_m = rounded_down(std::clamp(
        wanted_m, slip.side_m / kMostPerSide,
        slip.side_m /
            (felt_by_stations_alone(batch, slip, stations) ? kFewestPerSide : kFewestInside)));
    if (mesh.size_far_m() > 0.0) {
        size_m = std::min(size_m, mesh.size_far_m());
    }
    mesh.set_size_at_fault_m(size_m);
    char text[256];
    if (std::isfinite(away_m)) {
        std::snprintf(text, sizeof text,
                      "mesh: size_at_fault %.4g km; it changes the motion of %s right after the "
                      "slip by about %.1f %% (predicted)",
                      size_m / 1e3, stations.empty() ? "the ground" : "the nearest station",
                      100.0 * std::min(1.0, size_error(size_m, away_m)));
    } else {
        std::snprintf(text, sizeof text,
                      "mesh: size_at_fault %.4g km, an eighth of the shorter side of what slips",
                      size_m / 1e3);
    }
    return text;
}

}  // namespace kaname::spec
