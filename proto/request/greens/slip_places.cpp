// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/greens/slip_places.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <string>

#include "proto/request/form/text.hpp"
#include "solvers/base/units.hpp"

namespace kaname::request {
namespace {

constexpr int kAlong = 8;  // points along a fault
constexpr int kMany = 4;   // patches of an event
constexpr double kPatchesShown = 4.0;

/// A rectangle from the middle of its upper edge, flat from there: some per cent of its size.
void add_rectangle(const LonLat& top, double strike_deg, double length_m, double across_m,
                   double deepest_m, SlipPlaces& slip) {
    for (int i = 0; i <= kAlong; ++i) {
        const double s = length_m * (static_cast<double>(i) / kAlong - 0.5);
        for (const double d : {0.0, 0.5 * across_m, across_m}) {
            const double strike = strike_deg * kDegree;
            slip.add(moved(top, s * std::sin(strike) + d * std::cos(strike),
                           s * std::cos(strike) - d * std::sin(strike)),
                     deepest_m);
        }
    }
}

void add_plane(const v1::Plane& plane, SlipPlaces& slip) {
    if (!plane.has_centre_lon_deg() || !plane.has_centre_lat_deg()) {
        return;
    }
    const double dip = plane.dip_deg() * kDegree;
    add_rectangle({plane.centre_lon_deg(), plane.centre_lat_deg()}, plane.strike_deg(),
                  plane.length_m(), plane.width_m() * std::cos(dip),
                  plane.top_depth_m() + plane.width_m() * std::sin(dip), slip);
    slip.planes.push_back({{plane.centre_lon_deg(), plane.centre_lat_deg()},
                           plane.top_depth_m(),
                           plane.strike_deg(),
                           plane.dip_deg(),
                           plane.length_m(),
                           plane.width_m()});
    const auto of_hat = [](double length_m, std::uint32_t n) {
        return n <= 1 ? length_m : 2.0 * length_m / (n + 1.0);
    };
    slip.side_m = std::min({slip.side_m, of_hat(plane.length_m(), plane.n_strike()),
                            of_hat(plane.width_m(), plane.n_dip())});
}

void add_interface(const v1::Interface& interface, SlipPlaces& slip) {
    const v1::PatchGrid& grid = interface.patches();
    if (!grid.has_origin_lon_deg() || !grid.has_origin_lat_deg()) {
        return;
    }
    // The origin is the middle of the first patch; down dip is less in the plan than along it.
    const double length_m = grid.n_strike() * grid.spacing_strike_m();
    const double strike = grid.strike_deg() * kDegree;
    const double half_m = 0.5 * (length_m - grid.spacing_strike_m());
    const LonLat middle = moved({grid.origin_lon_deg(), grid.origin_lat_deg()},
                                half_m * std::sin(strike), half_m * std::cos(strike));
    const double deepest_m =
        interface.max_depth_m() > 0.0 ? interface.max_depth_m() : kUnknownDepth_m;
    add_rectangle(middle, grid.strike_deg(), length_m, grid.n_dip() * grid.spacing_dip_m(),
                  deepest_m, slip);
    slip.side_m =
        std::min({slip.side_m, 2.0 * grid.spacing_strike_m(), 2.0 * grid.spacing_dip_m()});
}

void add_event(const v1::SlipEvent& event, SlipPlaces& slip) {
    if (const v1::WavePlace& at = event.at();
        event.has_moment() && at.has_lon_deg() && at.has_lat_deg() && at.depth_m() > 0.0) {
        slip.add({at.lon_deg(), at.lat_deg()}, at.depth_m());
        slip.planes.push_back({{at.lon_deg(), at.lat_deg()}, at.depth_m(), 0.0, 90.0, 0.0, 0.0});
        slip.side_m = std::min(slip.side_m, at.depth_m());
    }
    for (const v1::SlipRectangle& patch : event.patches()) {
        if (patch.has_lon_deg() && patch.has_lat_deg()) {
            slip.add_patch({patch.lon_deg(), patch.lat_deg()},
                           {{},
                            patch.depth_m(),
                            patch.strike_deg(),
                            patch.dip_deg(),
                            patch.length_m(),
                            patch.width_m()},
                           event.patches_size());
        }
    }
}

}  // namespace

void SlipPlaces::add_patch(const LonLat& centre, SlipPlane plane, int of) {
    add(centre, plane.top_depth_m);
    const double strike = plane.strike_deg * kDegree;
    const double dip = plane.dip_deg * kDegree;
    const double up_m = 0.5 * plane.width_m;
    const double across_m = up_m * std::cos(dip);
    plane.top = moved(centre, -across_m * std::cos(strike), across_m * std::sin(strike));
    plane.top_depth_m = std::max(plane.top_depth_m - up_m * std::sin(dip), 0.0);
    planes.push_back(plane);
    // Neighbours slip about alike: what is to be shown is wider than a patch.
    const double patches = of < kMany ? 1.0 : kPatchesShown;
    side_m = std::min({side_m, patches * plane.length_m, patches * plane.width_m});
}

double SlipPlane::distance_m(const LonLat& place) const {
    // In the plane's frame: along the strike, down the dip, and across it.
    const double per_deg = kMeanRadius_m * kDegree;
    const double east_m = std::remainder(place.lon_deg - top.lon_deg, 360.0) * per_deg *
                          std::cos(0.5 * (place.lat_deg + top.lat_deg) * kDegree);
    const double north_m = (place.lat_deg - top.lat_deg) * per_deg;
    const double strike = strike_deg * kDegree;
    const double dip = dip_deg * kDegree;
    const double along = east_m * std::sin(strike) + north_m * std::cos(strike);
    const double to_right = east_m * std::cos(strike) - north_m * std::sin(strike);
    const double down = to_right * std::cos(dip) - top_depth_m * std::sin(dip);
    const double across = to_right * std::sin(dip) + top_depth_m * std::cos(dip);
    return std::hypot(std::max(std::abs(along) - 0.5 * length_m, 0.0),
                      std::max({-down, down - width_m, 0.0}), across);
}

SlipPlaces places_of_slip(const v1::GreensBatch& batch) {
    SlipPlaces slip;
    const auto add = [&](const auto& fault) {
        if (fault.has_plane()) {
            add_plane(fault.plane(), slip);
        } else if (fault.has_interface()) {
            add_interface(fault.interface(), slip);
        }
    };
    add(batch.fault());
    for (const v1::NamedFault& fault : batch.fault().several()) {
        add(fault);
    }
    for (const v1::SlipEvent& event : batch.events()) {
        add_event(event, slip);
    }
    return slip;
}

namespace {

struct Named {
    std::string field;
    LonLat at;
};

/// The places that have both coordinates, as finite numbers that can be meant.
std::vector<Named> places_of(const v1::GreensBatch& batch,
                             const std::vector<RequestStation>& stations) {
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
    for (const RequestStation& station : stations) {
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
                                      const std::vector<RequestStation>& stations) {
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
                                        const std::vector<RequestStation>& stations) {
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
    for (const RequestStation& station : stations) {
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

namespace {

constexpr const char* kPoints = "points";
constexpr std::size_t kMostPatches = 2000;  // that sizes and boxes are chosen by

/// Where a patch's centre is; files in a local frame count from `origin`.
LonLat centre_of(const slip_model::SlipModel& model, const slip_model::SlipPatch& patch,
                 const v1::SlipOrigin& origin) {
    return model.geographic
               ? LonLat{patch.lon_deg, patch.lat_deg}
               : moved({origin.lon_deg(), origin.lat_deg()}, patch.east_m, patch.north_m);
}

void add_model(const slip_model::SlipModel& model, const v1::SlipOrigin& origin, SlipPlaces& slip) {
    const std::size_t step = (model.patches.size() + kMostPatches - 1) / kMostPatches;
    for (std::size_t k = 0; k < model.patches.size(); ++k) {
        const slip_model::SlipPatch& patch = model.patches[k];
        slip.deepest_m = std::max(slip.deepest_m, patch.depth_m);
        if (k % step == 0) {
            slip.add_patch(
                centre_of(model, patch, origin),
                {{}, patch.depth_m, patch.strike_deg, patch.dip_deg, patch.length_m, patch.width_m},
                static_cast<int>(model.patches.size()));
        }
    }
}

}  // namespace

slip_model::ReadOptions read_options(const v1::SlipEvent& event) {
    slip_model::ReadOptions options;
    if (!event.format().empty() && event.format() != kPoints) {
        options.format = slip_model::slip_format(event.format());
    }
    if (event.has_rake_deg()) {
        options.rake_deg = event.rake_deg();
    }
    if (!event.length_unit().empty()) {
        options.length_unit = event.length_unit() == "km" ? slip_model::LengthUnit::Kilometre
                                                          : slip_model::LengthUnit::Metre;
    }
    if (!event.slip_unit().empty()) {
        options.slip_unit = event.slip_unit() == "cm" ? slip_model::SlipUnit::Centimetre
                                                      : slip_model::SlipUnit::Metre;
    }
    if (event.position() == "centre") {
        options.flt_point = slip_model::PatchPoint::Centre;
    }
    return options;
}

std::vector<Violation> add_slip_of_files(const v1::GreensBatch& batch, SlipPlaces& slip) {
    std::vector<Violation> broken;
    for (int k = 0; k < batch.events_size(); ++k) {
        const v1::SlipEvent& event = batch.events(k);
        if (event.slip_model().sha256().empty() || event.format() == kPoints) {
            continue;
        }
        const std::string field = "events[" + std::to_string(k) + "].slip_model";
        try {
            const slip_model::SlipModel model =
                slip_model::read_slip_model(event.slip_model().path(), read_options(event));
            if (model.geographic ||
                (event.origin().has_lon_deg() && event.origin().has_lat_deg())) {
                add_model(model, event.origin(), slip);
            }
        } catch (const std::exception& error) {
            broken.push_back({field, error.what()});
        }
    }
    return broken;
}

}  // namespace kaname::request
