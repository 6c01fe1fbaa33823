// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/geometry/predicted_errors.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <utility>

#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/meshing/cleaving/size_field.hpp"
#include "solvers/viscoelastic/model/relaxation.hpp"

namespace kaname::jobs {
namespace {

constexpr double kWorthAWarning = 0.02;
constexpr int kDepthSamples = 200;
constexpr double kSince = 1.5;  // of errors by elements at stations, the change over right after
constexpr double kLateEnough = 0.5;   // Maxwell times
constexpr double kBesideSlip = 0.25;  // distance at which rock is looked up, in elements
constexpr double kSlowGrowth = 0.15;  // what gentle dips have by default
constexpr double kFlattest_deg = 1.0;
// Slip goes on to the ground from an edge that is less of an element under it.
constexpr double kAtGround = 0.05;

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

/// Depth of the first viscous rock in the column of a place; that of the box where there is none.
double lid_m(const Domain& domain, const Vec3& at) {
    const double depth_m = domain.box().depth_m;
    for (int k = 0; k <= kDepthSamples; ++k) {
        const Vec3 x{at.x, at.y, -depth_m * k / kDepthSamples};
        if (domain.volumes().material(x).viscosity_pa_s) {
            return -x.z;
        }
    }
    return depth_m;
}

std::string per_cent(double share) {
    return formatted(share < 0.1 ? "%.1f %%" : "%.0f %%", 100.0 * share);
}

/// "1.1 % (0.9 % elements at the station, 0.5 % box)", the parts that matter, largest first.
std::string with_parts(const ErrorParts& parts) {
    constexpr double kMatters = 0.2;
    std::vector<std::pair<double, const char*>> all = {{parts.fault, "elements at the slip"},
                                                       {parts.stations, "elements at the station"},
                                                       {parts.layers, "elements in layers"},
                                                       {parts.box, "box"},
                                                       {parts.dip, "gentle dip"}};
    std::ranges::stable_sort(all, std::greater(), &std::pair<double, const char*>::first);
    std::string text;
    for (const auto& [share, cause] : all) {
        if (share > 0.0 && share > kMatters * parts.total()) {
            text += (text.empty() ? "" : ", ") + per_cent(share) + " " + cause;
        }
    }
    return text;
}

}  // namespace

double gentle_slip_error(double dip_deg, double growth) {
    constexpr double kError = 0.032, kDip_deg = 10.0, kGrowth = 0.3, kPower = 1.2;
    const double dip = std::max(dip_deg, kFlattest_deg);
    return std::min(1.0, kError * std::pow(kDip_deg / dip, kPower) * growth / kGrowth);
}

PredictedErrors::PredictedErrors(const GreensJob& job, const Domain& domain, const SourceSet& slip,
                                 std::span<const StationElements> elements)
    : size_at_fault_m_(job.mesh.size_at_fault_m), growth_(job.mesh.growth), end_s_(job.time.end_s) {
    if (const auto tau_s = viscoelastic::shortest_relaxation_time_s(job.structure)) {
        maxwell_times_ = end_s_ / *tau_s;
    }
    const std::vector<Vec3> slips = slip.centres();
    if (slips.empty() || !domain.has_volumes()) {
        return;  // only the mesh knows them
    }
    find_places(job, domain, slips);
    if (elements.size() == domain.stations().size()) {
        elements_known_ = true;
        add_elements(domain, slip, elements);
        add_dip(domain, slip);
    }
}

void PredictedErrors::find_places(const GreensJob& job, const Domain& domain,
                                  const std::vector<Vec3>& slips) {
    std::vector<double> lids_m(slips.size(), -1.0);  // where asked for
    const auto add = [&](const std::string& name, const Vec3& at) {
        const auto away_m = [&](const Vec3& slip) {
            return std::hypot(slip.x - at.x, slip.y - at.y);
        };
        const auto nearest = std::ranges::min_element(slips, {}, away_m);
        double& under_m = lids_m[static_cast<std::size_t>(nearest - slips.begin())];
        Place& place = places_.emplace_back();
        place.name = name;
        place.at = at;
        place.box.station_m = away_m(*nearest);
        place.box.side_m = domain.gap_to_held_sides_m(*nearest);
        place.at_once.box = box_error(place.box);
        if (maxwell_times_ > 0.0) {
            under_m = under_m < 0.0 ? lid_m(domain, *nearest) : under_m;
            place.box.lid_m = under_m;
            place.box.maxwell_times = maxwell_times_;
            place.since.box = box_error(place.box);
        }
    };
    for (std::size_t k = 0; k < domain.stations().size(); ++k) {
        add("station '" + job.stations[k].id + "'", domain.stations()[k]);
    }
    stations_ = !places_.empty();
    // Without stations: what the surface does a quarter of the slip's length from it.
    if (places_.empty()) {
        add("the surface near the slip", beside(slips));
    }
}

void PredictedErrors::add_elements(const Domain& domain, const SourceSet& slip,
                                   std::span<const StationElements> elements) {
    std::vector<Vec3> edges = slip.edges(size_at_fault_m_);
    std::erase_if(edges, [&](const Vec3& x) {
        return domain.ground_m(x.x, x.y) - x.z < kAtGround * size_at_fault_m_;
    });
    const cleaving::PointTree tree(std::move(edges));
    for (std::size_t k = 0; k < places_.size(); ++k) {
        Place& place = places_[k];
        place.away_m = tree.distance_m(place.at, place.box.station_m + domain.box().depth_m);
        const StationElements of = elements.empty()
                                       ? StationElements{size_at_fault_m_ + growth_ * place.away_m}
                                       : elements[k];
        place.at_once.fault = fault_error(size_at_fault_m_, place.away_m);
        place.at_once.stations = station_error(of.size_m - size_at_fault_m_, place.away_m);
        place.at_once.layers = of.layers_at_once;
        if (maxwell_times_ > 0.0) {
            place.since.fault = place.at_once.fault;
            place.since.stations = std::min(1.0, kSince * place.at_once.stations);
            place.since.layers = of.layers_since;
        }
    }
}

void PredictedErrors::add_dip(const Domain& domain, const SourceSet& slip) {
    if (maxwell_times_ < kLateEnough) {
        return;
    }
    const auto relaxes = [&](const Vec3& x) {
        const auto tau_s = viscoelastic::shortest_relaxation_time_s(domain.volumes().material(x));
        return tau_s && end_s_ >= kLateEnough * *tau_s;
    };
    double all = 0.0, gentle = 0.0;
    (void)slip.any_place([&](const Vec3& x, const Vec3& normal) {
        const double dip_deg = std::acos(std::min(1.0, std::abs(normal.z))) / kDegree;
        const Vec3 away = kBesideSlip * size_at_fault_m_ * normal;
        all += 1.0;
        if (relaxes(x + away) || relaxes(x - away)) {
            gentlest_deg_ = std::min(gentlest_deg_, dip_deg);
            gentle += 1.0;
        }
        return false;
    });
    for (Place& place : places_) {
        place.since.dip =
            gentlest_deg_ < 90.0 ? gentle / all * gentle_slip_error(gentlest_deg_, growth_) : 0.0;
    }
}

std::string PredictedErrors::text() const {
    if (!elements_known_) {
        return "";
    }
    const auto at = std::ranges::max_element(
        places_, {}, [](const Place& place) { return place.at_once.total(); });
    const std::string largest = stations_ ? "largest " : "";
    const std::string where = stations_ ? " as far away as " : " of ";
    std::string text = "predicted error: " + per_cent(at->at_once.total()) + " of the " + largest +
                       "motion right after the slip" + where + at->name + " (" +
                       with_parts(at->at_once) + ")";
    if (maxwell_times_ > 0.0) {
        const auto late = std::ranges::max_element(
            places_, {}, [](const Place& place) { return place.since.total(); });
        text += ", " + per_cent(late->since.total()) + " of the " + largest + "change since" +
                where + late->name + " (" + with_parts(late->since) + ")";
    }
    return text + (places_.size() > 1 ? "; less elsewhere" : "");
}

std::vector<std::string> PredictedErrors::warnings() const {
    std::vector<std::string> all = {box_warning(), dip_warning()};
    std::erase(all, "");
    return all;
}

std::string PredictedErrors::box_warning() const {
    const auto share = [&](const Place& place) {
        return std::max(place.at_once.box, place.since.box);
    };
    const auto worst = std::ranges::max_element(places_, {}, share);
    if (worst == places_.end() || share(*worst) < kWorthAWarning) {
        return "";
    }
    char text[400];
    std::snprintf(
        text, sizeof text,
        "region: a side or the bottom, %.4g km from the slip, changes the motion of %s by "
        "about %.0f %%%s; %.0f %% would take a box whose sides and bottom are %.0f "
        "km from the slip, with far elements as large (mesh.size_far)",
        worst->box.side_m / 1000.0, worst->name.c_str(), 100.0 * share(*worst),
        maxwell_times_ > 0.0 ? (" after " + formatted("%.3g years", end_s_ / kJulianYear_s)).c_str()
                             : "",
        100.0 * kWorthAWarning, 10.0 * std::ceil(side_needed_m(worst->box, kWorthAWarning) / 10e3));
    return text;
}

std::string PredictedErrors::dip_warning() const {
    if (places_.empty() || places_.front().since.dip <= kWorthAWarning) {
        return "";
    }
    char text[400];
    std::snprintf(text, sizeof text,
                  "mesh: slip that dips by %.3g degrees in rock that relaxes moves the ground "
                  "little after the slip; that change may be off by about %.1f %% of itself "
                  "(predicted; the motion right after the slip is not concerned)",
                  gentlest_deg_, 100.0 * places_.front().since.dip);
    std::string warning = text;
    if (growth_ > kSlowGrowth) {
        std::snprintf(text, sizeof text,
                      "; mesh.growth of %g in place of %g makes it about %.1f %%, and takes about "
                      "three times as long",
                      kSlowGrowth, growth_,
                      100.0 * places_.front().since.dip * kSlowGrowth / growth_);
        warning += text;
    }
    return warning;
}

}  // namespace kaname::jobs
