// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/greens/swapped.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "proto/spec/form/text.hpp"
#include "proto/spec/greens/sphere.hpp"
#include "solvers/base/units.hpp"

namespace kaname::spec {
namespace {

struct Named {
    std::string field;
    LonLat at;
};

/// The places that have both coordinates, as finite numbers that can be meant.
std::vector<Named> places_of(const v1::GreensBatch& batch,
                             const std::vector<SpecStation>& stations) {
    std::vector<Named> places;
    const auto add_place = [&](const std::string& field, bool given, const LonLat& at) {
        if (given && std::isfinite(at.lon_deg) && std::abs(at.lat_deg) <= 90.0) {
            places.push_back({field, at});
        }
    };
    const auto add_fault = [&](const std::string& path, const auto& fault) {
        const v1::Plane& plane = fault.plane();
        add_place(path + ".plane.centre_lon_deg",
                  plane.has_centre_lon_deg() && plane.has_centre_lat_deg(),
                  {plane.centre_lon_deg(), plane.centre_lat_deg()});
        const v1::PatchGrid& grid = fault.interface().patches();
        add_place(path + ".interface.patches.origin_lon_deg",
                  grid.has_origin_lon_deg() && grid.has_origin_lat_deg(),
                  {grid.origin_lon_deg(), grid.origin_lat_deg()});
    };
    add_fault("fault", batch.fault());
    for (int k = 0; k < batch.fault().several_size(); ++k) {
        add_fault("fault.several[" + std::to_string(k) + "]", batch.fault().several(k));
    }
    for (const SpecStation& station : stations) {
        add_place(station.field, !station.plain, {station.lon_deg, station.lat_deg});
    }
    return places;
}

std::string degrees_text(const LonLat& at) {
    return "lon_deg " + show(at.lon_deg) + ", lat_deg " + show(at.lat_deg);
}

std::string km(const LonLat& a, const LonLat& b) {
    return show(std::round(distance_m(a, b) / 1e3));
}

}  // namespace

std::vector<Violation> swapped_places(const v1::GreensBatch& batch,
                                      const std::vector<SpecStation>& stations) {
    const v1::Region& region = batch.region();
    const LonLat centre{region.centre_lon_deg(), region.centre_lat_deg()};
    // Radius of the circle about the region. Far is twice that: what lies beside it has another
    // cause.
    const double radius_m = 0.5 * std::hypot(region.size_east_m(), region.size_north_m());
    if (!region.crs().empty() || !region.has_centre_lon_deg() || !region.has_centre_lat_deg() ||
        !(radius_m > 0.0) || !std::isfinite(radius_m)) {
        return {};
    }
    const std::vector<Named> places = places_of(batch, stations);
    std::vector<const Named*> swapped;
    for (const Named& place : places) {
        if (distance_m(place.at, centre) > 2.0 * radius_m &&
            distance_m(place.at.swapped(), centre) <= radius_m) {
            swapped.push_back(&place);
        }
    }
    // One mistake, not one for each place: the region's own numbers are the ones that differ.
    const bool all = swapped.size() == places.size() && places.size() > 1;
    if (all) {
        return {{"region.centre_lon_deg",
                 "must not have longitude and latitude swapped, got " + degrees_text(centre) +
                     ", which is " + km(centre, places.front().at) +
                     " km from the fault and the stations, and near them when swapped"}};
    }
    std::vector<Violation> broken;
    for (const Named* place : swapped) {
        broken.push_back({place->field, "must not have longitude and latitude swapped, got " +
                                            degrees_text(place->at) + ", which is " +
                                            km(place->at, centre) +
                                            " km from the region's centre, and inside the region "
                                            "when swapped"});
    }
    return broken;
}

std::vector<Violation> swapped_stations(const SlipPlaces& slip,
                                        const std::vector<SpecStation>& stations) {
    constexpr double kFar_m = 1500e3, kNear_m = 500e3;
    std::vector<Violation> broken;
    if (slip.at.empty()) {
        return broken;
    }
    const auto away_m = [&](const LonLat& at) {
        double least_m = std::numeric_limits<double>::infinity();
        for (const LonLat& place : slip.at) {
            least_m = std::min(least_m, distance_m(at, place));
        }
        return least_m;
    };
    for (const SpecStation& station : stations) {
        const LonLat at{station.lon_deg, station.lat_deg};
        if (station.plain || std::abs(at.lat_deg) > 90.0 || away_m(at) < kFar_m) {
            continue;
        }
        if (const double swapped_m = away_m(at.swapped()); swapped_m < kNear_m) {
            broken.push_back(
                {station.field, "must not have longitude and latitude swapped, got " +
                                    degrees_text(at) + ", which is " +
                                    show(std::round(away_m(at) / 1e3)) + " km from the slip, and " +
                                    show(std::round(swapped_m / 1e3)) + " km when swapped"});
        }
    }
    return broken;
}

}  // namespace kaname::spec
