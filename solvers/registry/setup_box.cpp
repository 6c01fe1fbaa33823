// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "solvers/base/box_error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/registry/setup.hpp"
#include "solvers/viscoelastic/relaxation.hpp"

namespace kaname::registry {
namespace {

constexpr double kWorthAWarning = 0.02;
constexpr int kDepthSamples = 200;
constexpr double kBeside = 0.25;  // of an element

std::string years_text(double seconds) {
    char text[48];
    std::snprintf(text, sizeof text, "%.3g years", seconds / kJulianYear_s);
    return text;
}

Vec3 beside(const std::vector<Vec3>& slips) {
    constexpr double kLeast_m = 10e3;
    Vec3 low = slips.front();
    Vec3 high = low;
    for (const Vec3& slip : slips) {
        low = {std::min(low.x, slip.x), std::min(low.y, slip.y), 0.0};
        high = {std::max(high.x, slip.x), std::max(high.y, slip.y), 0.0};
    }
    const double length_m = std::hypot(high.x - low.x, high.y - low.y);
    return {slips.front().x + std::max(kLeast_m, 0.25 * length_m), slips.front().y, 0.0};
}

}  // namespace

std::vector<Vec3> Setup::slip_centres() const {
    std::vector<Vec3> centres;
    for (std::size_t k = 0; k < sources_.size(); k += job_.components.size()) {
        centres.push_back(fault_->point(sources_[k].patch.centre));
    }
    for (const ScenarioModel& model : models_) {
        for (const slip_model::PlacedPatch& patch : model.placed.patches) {
            centres.push_back(patch.centre);
        }
        for (std::size_t k = 0; model.points && k < model.points->places.size(); ++k) {
            if (norm(model.points->slip[k]) > 0.0) {
                centres.push_back(model.points->places[k]);
            }
        }
    }
    return centres;
}

const earth::Material& Setup::rock(const Vec3& x) const {
    return volumes_ ? volumes_->material(x)
                    : job_.structure.materials[job_.structure.material_at(
                          -x.z, interface_ ? interface_->depth_m(x.x, x.y) : 0.0)];
}

bool Setup::slips_in_viscous_rock() const {
    // Beside the fault, not on it: an interface bounds layers.
    const auto beside = [&](const Vec3& x, const Vec3& normal) {
        const Vec3 away = kBeside * job_.size_at_fault_m * normal;
        return rock(x + away).viscosity_pa_s || rock(x - away).viscosity_pa_s;
    };
    // Upper edge, middle and lower edge; a little inside, where a patch may end with its layer.
    constexpr double kDown[] = {-0.45, 0.0, 0.45};
    const auto patch_relaxes = [&](const auto& place) { return std::ranges::any_of(kDown, place); };
    for (std::size_t k = 0; k < sources_.size(); k += job_.components.size()) {
        const sources::Patch& patch = sources_[k].patch;
        if (patch_relaxes([&](double down) {
                const sources::FaultCoordinates at{patch.centre.s,
                                                   patch.centre.d + down * patch.width_m};
                return beside(fault_->point(at), fault_->normal(at));
            })) {
            return true;
        }
    }
    return std::ranges::any_of(models_, [&](const ScenarioModel& model) {
        const auto patch = [&](const slip_model::PlacedPatch& of) {
            return norm(of.slip_m) > 0.0 && patch_relaxes([&](double down) {
                       return beside(of.centre + down * of.width_m * of.down_dip(), of.normal());
                   });
        };
        bool points = false;
        for (std::size_t k = 0; model.points && k < model.points->places.size(); ++k) {
            points = points || (norm(model.points->slip[k]) > 0.0 &&
                                beside(model.points->places[k], {0.0, 0.0, 1.0}));
        }
        return points || std::ranges::any_of(model.placed.patches, patch);
    });
}

double Setup::lid_m(const Vec3& at) const {
    for (int k = 0; k <= kDepthSamples; ++k) {
        const Vec3 x{at.x, at.y, -box_.depth_m * k / kDepthSamples};
        if (rock(x).viscosity_pa_s) {
            return -x.z;
        }
    }
    return box_.depth_m;
}

double Setup::gap_to_held_sides_m(const Vec3& x) const {
    const double north = x.x * std::sin(box_.azimuth_rad) + x.y * std::cos(box_.azimuth_rad);
    const double east = x.x * std::cos(box_.azimuth_rad) - x.y * std::sin(box_.azimuth_rad);
    const std::pair<mesh::Side, double> gaps[] = {
        {mesh::Side::West, 0.5 * box_.size_east_m + east},
        {mesh::Side::East, 0.5 * box_.size_east_m - east},
        {mesh::Side::South, 0.5 * box_.size_north_m + north},
        {mesh::Side::North, 0.5 * box_.size_north_m - north},
        {mesh::Side::Bottom, box_.depth_m + x.z}};
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [side, gap] : gaps) {
        if (job_.boundary[static_cast<int>(side)] != BoundaryKind::Free) {
            least = std::min(least, gap);
        }
    }
    return least;
}

std::vector<std::string> Setup::box_warnings() const {
    const std::vector<Vec3> slips = slip_centres();
    if (slips.empty()) {
        return {};
    }
    // Without stations: what the surface does a quarter of the slip's length from it.
    std::vector<Vec3> places = stations_;
    if (places.empty()) {
        places.push_back(beside(slips));
    }
    const auto tau_s = viscoelastic::shortest_relaxation_time_s(job_.structure);
    std::vector<double> lids_m(slips.size(), -1.0);  // where asked for
    BoxCase worst;
    double worst_error = 0.0;
    std::size_t where = 0;
    for (std::size_t k = 0; k < places.size(); ++k) {
        BoxCase of{std::numeric_limits<double>::infinity()};
        std::size_t nearest = 0;
        for (std::size_t slip = 0; slip < slips.size(); ++slip) {
            const double r = std::hypot(slips[slip].x - places[k].x, slips[slip].y - places[k].y);
            if (r < of.station_m) {
                of.station_m = r;
                nearest = slip;
            }
        }
        of.side_m = gap_to_held_sides_m(slips[nearest]);
        if (tau_s && lids_m[nearest] < 0.0) {
            lids_m[nearest] = lid_m(slips[nearest]);
        }
        of.lid_m = tau_s ? lids_m[nearest] : 0.0;
        of.maxwell_times = tau_s ? job_.end_s / *tau_s : 0.0;
        if (const double error = box_error(of); error > worst_error) {
            worst = of;
            worst_error = error;
            where = k;
        }
    }
    if (worst_error < kWorthAWarning) {
        return {};
    }
    const std::string seen = stations_.empty() ? "the surface near the slip"
                                               : "station '" + job_.stations[where].id + "'";
    char text[400];
    std::snprintf(
        text, sizeof text,
        "region: a side or the bottom, %.4g km from the slip, changes the motion of %s by "
        "about %.0f %%%s; %.0f %% would take a box whose sides and bottom are %.0f "
        "km from the slip, with far elements as large (mesh.size_far)",
        worst.side_m / 1000.0, seen.c_str(), 100.0 * worst_error,
        job_.end_s > 0.0 && tau_s ? (" after " + years_text(job_.end_s)).c_str() : "",
        100.0 * kWorthAWarning, 10.0 * std::ceil(side_needed_m(worst, kWorthAWarning) / 10e3));
    return {text};
}

}  // namespace kaname::registry
