// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/greens/box.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "proto/request/greens/scenario.hpp"
#include "proto/request/greens/volumes.hpp"
#include "solvers/base/predicted_error.hpp"
#include "solvers/base/units.hpp"

namespace kaname::request {
namespace {

constexpr double kRound_m = 50e3;
constexpr double kFit = 1.4;            // the prediction is within that factor
constexpr double kLeastSide_m = 200e3;  // least distance of the slip from the sides
constexpr double kNearest_m = 10e3;     // least distance of a station from the slip
constexpr double kWidest_m = 1e7, kDeepest_m = 6.371e6;
constexpr double kFarParts = 10.0;  // elements across the box
// Gentle dips in rock that relaxes change the ground by some hundredths of what they did at first:
// the elements between fault and ground tell (docs/user/accuracy.md).
constexpr double kGentle_deg = 25.0, kGentleGrowth = 0.15, kLateMaxwellTimes = 0.5;

/// Returns the lowest viscosity of the rock, which relaxes first and so reaches farthest; 0 if it
/// is elastic.
template <class Rock>
double lowest_viscosity_pa_s(const Rock& rock) {
    return rock.has_viscosity_range_pa_s() ? rock.viscosity_range_pa_s().from()
                                           : rock.viscosity_pa_s();
}

/// Shortest relaxation time; 0 where nothing relaxes.
double relaxation_time_s(const v1::Structure& structure) {
    double least = std::numeric_limits<double>::infinity();
    const auto add = [&](double viscosity_pa_s, double mu_pa) {
        if (viscosity_pa_s > 0.0 && mu_pa > 0.0) {
            least = std::min(least, viscosity_pa_s / mu_pa);
        }
    };
    for (const v1::Material& material : structure.materials()) {
        const double mu_pa =
            material.has_mu_pa()
                ? material.mu_pa()
                : material.density_kg_per_m3() * material.vs_m_per_s() * material.vs_m_per_s();
        add(lowest_viscosity_pa_s(material), mu_pa - material.relaxed_mu_pa());
        add(material.has_kelvin_viscosity_range_pa_s()
                ? material.kelvin_viscosity_range_pa_s().from()
                : material.kelvin_viscosity_pa_s(),
            material.kelvin_mu_pa());
    }
    constexpr double kStiffMantle_pa = 1e11;
    for (const v1::StructureVolume& volume : structure.volumes()) {
        add(lowest_viscosity_pa_s(volume.profile()), kStiffMantle_pa);
        add(lowest_viscosity_pa_s(volume.columns()), kStiffMantle_pa);
    }
    return std::isfinite(least) ? least : 0.0;
}

/// Depth of the first viscous rock: the deeper it is, the farther the late motion reaches.
double lid_m(const v1::GreensBatch& batch) {
    if (has_volumes(batch) || batch.fault().has_interface()) {
        return kUnknownDepth_m;
    }
    double top_m = 0.0;
    for (const v1::Layer& layer : batch.structure().layers()) {
        for (const v1::Material& material : batch.structure().materials()) {
            if (material.name() == layer.material() && material.has_viscosity_pa_s()) {
                return top_m;
            }
        }
        top_m = layer.bottom_depth_m();
    }
    return top_m;
}

/// Returns the greatest depth that the request names, all of which must lie in the box.
double deepest_of(const v1::GreensBatch& batch, const std::vector<RequestStation>& stations) {
    double deepest_m = batch.fault().interface().max_depth_m();
    for (const v1::Layer& layer : batch.structure().layers()) {
        deepest_m = std::max(deepest_m, layer.bottom_depth_m());
    }
    for (const v1::StructureSurface& surface : batch.structure().surfaces()) {
        deepest_m = std::max({deepest_m, surface.depth_m(), surface.max_depth_m()});
    }
    for (const RequestStation& station : stations) {
        deepest_m = std::max(deepest_m, station.depth_m.value_or(0.0));
    }
    return deepest_m;
}

/// Mean distances of the stations from the slip, since the sides see all of it; without stations
/// that of the surface a quarter of the slip's length from it.
std::vector<double> seen_from_m(const SlipPlaces& slip, const std::vector<RequestStation>& stations,
                                double length_m) {
    if (stations.empty()) {
        return {std::max(kNearest_m, 0.25 * length_m)};
    }
    std::vector<double> places_m;
    for (const RequestStation& station : stations) {
        double sum_m = 0.0;
        for (const LonLat& at : slip.at) {
            sum_m += distance_m(at, {station.lon_deg, station.lat_deg});
        }
        places_m.push_back(std::max(kNearest_m, sum_m / static_cast<double>(slip.at.size())));
    }
    return places_m;
}

void choose_far_size(const v1::Region& region, v1::Mesh& mesh) {
    if (mesh.size_far_m() != 0.0) {
        return;
    }
    const double least_m =
        std::min({region.size_east_m(), region.size_north_m(), 2.0 * region.depth_m()});
    mesh.set_size_far_m(std::max(mesh.size_at_fault_m(), least_m / kFarParts));
}

double rounded_up(double m) {
    return kRound_m * std::ceil(m / kRound_m - 1e-9);
}

}  // namespace

bool relaxes_about_slip(const v1::GreensBatch& batch, const SlipPlaces& slip,
                        const std::function<bool(const SlipPlane&)>& counts) {
    const double tau_s = relaxation_time_s(batch.structure());
    if (!(tau_s > 0.0) || batch.time().end_s() < kLateMaxwellTimes * tau_s) {
        return false;
    }
    const double lid = lid_m(batch);
    return std::ranges::any_of(slip.planes, [&](const SlipPlane& plane) {
        return counts(plane) &&
               plane.top_depth_m + plane.width_m * std::sin(plane.dip_deg * kDegree) > lid;
    });
}

std::string choose_box(v1::GreensBatch& batch, const SlipPlaces& slip,
                       const std::vector<RequestStation>& stations, bool growth_open) {
    v1::Region& region = *batch.mutable_region();
    const bool whole = region.has_centre_lon_deg() && region.has_centre_lat_deg() &&
                       region.size_east_m() != 0.0 && region.size_north_m() != 0.0 &&
                       region.depth_m() != 0.0;
    if (batch.mesh().has_file() || !region.crs().empty() || slip.at.empty()) {
        return "";
    }
    if (growth_open && relaxes_about_slip(batch, slip, [](const SlipPlane& plane) {
            return plane.dip_deg < kGentle_deg;
        })) {
        batch.mutable_mesh()->set_growth(kGentleGrowth);
    }
    if (whole) {
        choose_far_size(region, *batch.mutable_mesh());
        return "";
    }
    if (!region.has_centre_lon_deg() && !region.has_centre_lat_deg()) {
        const LonLat centre = middle_of(slip.at);
        region.set_centre_lon_deg(centre.lon_deg);
        region.set_centre_lat_deg(centre.lat_deg);
    }
    const LonLat centre{region.centre_lon_deg(), region.centre_lat_deg()};
    double extent_m = 0.0, length_m = 0.0;
    for (const LonLat& at : slip.at) {
        extent_m = std::max(extent_m, distance_m(centre, at));
        length_m = std::max(length_m, distance_m(slip.at.front(), at));
    }
    BoxCase of;
    const double tau_s = relaxation_time_s(batch.structure());
    of.lid_m = tau_s > 0.0 ? lid_m(batch) : 0.0;
    of.maxwell_times = tau_s > 0.0 ? batch.time().end_s() / tau_s : 0.0;
    double side_m = std::max(kLeastSide_m, 2.0 * length_m);
    for (const double away_m : seen_from_m(slip, stations, length_m)) {
        of.station_m = away_m;
        side_m = std::max(side_m, side_needed_m(of, kBoxError / kFit));
    }
    const auto fill = [](double given, double chosen, double most) {
        return given != 0.0 ? given : std::min(chosen, most);
    };
    const double width_m = rounded_up(2.0 * (extent_m + side_m));
    region.set_size_east_m(fill(region.size_east_m(), width_m, kWidest_m));
    region.set_size_north_m(fill(region.size_north_m(), width_m, kWidest_m));
    region.set_depth_m(fill(region.depth_m(),
                            std::max(rounded_up(slip.deepest_m + side_m),
                                     rounded_up(1.5 * deepest_of(batch, stations))),
                            kDeepest_m));
    choose_far_size(region, *batch.mutable_mesh());
    char text[240];
    std::snprintf(text, sizeof text,
                  "region: %.6g x %.6g x %.6g km about %.4f E %.4f N, size_far %.4g km, growth %g",
                  region.size_east_m() / 1e3, region.size_north_m() / 1e3, region.depth_m() / 1e3,
                  centre.lon_deg, centre.lat_deg, batch.mesh().size_far_m() / 1e3,
                  batch.mesh().growth());
    return text;
}

namespace {

// Elements across the shorter side of what slips: fewer do not show it, more are not worth their
// time beside a station on the fault. Stations that are far feel no more than the fewest; rock that
// relaxes about the slip, what is asked of the rock itself, and the ground everywhere do.
constexpr double kFewestPerSide = 6.0, kFewestInside = 8.0, kMostPerSide = 16.0;

/// Distance of the slip from the nearest station; from the ground above it without any. Infinite
/// where its depth is not known.
double nearest_m(const SlipPlaces& slip, const std::vector<RequestStation>& stations) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const SlipPlane& plane : slip.planes) {
        if (stations.empty()) {
            nearest = std::min(nearest, plane.top_depth_m);
        }
        for (const RequestStation& station : stations) {
            nearest = std::min(nearest, plane.distance_m({station.lon_deg, station.lat_deg}));
        }
    }
    return nearest;
}

/// Returns true if stations at the ground, and nothing else, feel the slip, in elastic rock.
bool felt_by_stations_alone(const v1::GreensBatch& batch, const SlipPlaces& slip,
                            const std::vector<RequestStation>& stations) {
    return !stations.empty() && !slip.planes.empty() && !batch.output().has_volume() &&
           std::ranges::none_of(
               stations,
               [](const RequestStation& station) { return station.depth_m.value_or(0.0) > 0.0; }) &&
           !relaxes_about_slip(batch, slip, [](const SlipPlane&) { return true; });
}

}  // namespace

double rounded_down(double m) {
    const double digit = std::pow(10.0, std::floor(std::log10(m)) - 1.0);
    return digit * std::floor(m / digit * (1.0 + 1e-9));
}

std::string choose_size_at_fault(v1::GreensBatch& batch, const SlipPlaces& slip,
                                 const std::vector<RequestStation>& stations) {
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
    const double wanted_m = kSizePerDistance * away_m;
    double size_m = rounded_down(std::clamp(
        wanted_m, slip.side_m / kMostPerSide,
        slip.side_m /
            (felt_by_stations_alone(batch, slip, stations) ? kFewestPerSide : kFewestInside)));
    if (mesh.size_far_m() > 0.0) {
        size_m = std::min(size_m, mesh.size_far_m());
    }
    mesh.set_size_at_fault_m(size_m);
    char text[120];
    std::snprintf(text, sizeof text, "mesh: size_at_fault %.4g km", size_m / 1e3);
    return text;
}

}  // namespace kaname::request
