// SPDX-License-Identifier: BSD-3-Clause
// Implements place_warnings() of job_geometry.hpp.
#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/base/text.hpp"
#include "worker/jobs/geometry/job_geometry.hpp"

namespace kaname::jobs {
namespace {

constexpr double kFar_km = 1500.0;        // beyond it a flat model says little
constexpr double kNear_km = 800.0;        // stations of a network about a fault
constexpr double kExchanged_km = 100.0;   // nearer ones are within a network
constexpr double kNearerExchanged = 5.0;  // so many times when exchanged
constexpr double kBeyondOthers = 2.0;     // from the stations that seem right
constexpr std::size_t kStationsNamed = 3;

struct Distances {
    const GivenStation* station;
    double given_km;
    double exchanged_km;  ///< infinite where the longitude is no latitude
};

std::string whole(double km) {
    return number(std::round(km));
}

Distances distances_of(const GivenStation& station, const GeoBox& slip) {
    const double lon_deg = std::remainder(station.at.lon_deg, 360.0);
    return {&station, distance_km(station.at, slip),
            std::abs(lon_deg) <= 90.0 ? distance_km({station.at.lat_deg, lon_deg}, slip)
                                      : std::numeric_limits<double>::infinity()};
}

std::string far_warning(const std::vector<Distances>& all) {
    const auto nearest = std::ranges::min_element(all, {}, &Distances::given_km);
    if (nearest->given_km < kFar_km) {
        return "";
    }
    const auto near = std::ranges::count_if(
        all, [](const Distances& one) { return one.exchanged_km <= kNear_km; });
    return "stations: none lies within " + whole(kFar_km) + " km of the slip; the nearest, '" +
           nearest->station->id + "', is " + whole(nearest->given_km) + " km from it" +
           (near == 0
                ? ""
                : "; with longitude and latitude exchanged, " + std::to_string(near) + " of " +
                      std::to_string(all.size()) + " would lie within " + whole(kNear_km) + " km");
}

std::string exchanged_warning(const std::vector<Distances>& all) {
    std::vector<Distances> exchanged;
    double others_km = 0.0;
    for (const Distances& one : all) {
        if (one.given_km > kExchanged_km && kNearerExchanged * one.exchanged_km < one.given_km) {
            exchanged.push_back(one);
        } else {
            others_km = std::max(others_km, one.given_km);
        }
    }
    std::erase_if(exchanged,
                  [&](const Distances& one) { return one.given_km < kBeyondOthers * others_km; });
    if (exchanged.empty()) {
        return "";
    }
    std::string names;
    double least_km = exchanged.front().given_km, most_km = 0.0;
    for (std::size_t k = 0; k < exchanged.size(); ++k) {
        names += k < kStationsNamed ? (k == 0 ? "'" : ", '") + exchanged[k].station->id + "'" : "";
        least_km = std::min(least_km, exchanged[k].given_km);
        most_km = std::max(most_km, exchanged[k].exchanged_km);
    }
    if (exchanged.size() == 1) {
        return "station " + names + " is " + whole(least_km) +
               " km from the slip; with longitude and latitude exchanged it would be " +
               whole(most_km) + " km from it";
    }
    return "stations: " + std::to_string(exchanged.size()) + " of " + std::to_string(all.size()) +
           " (" + names + (exchanged.size() > kStationsNamed ? ", ..." : "") + ") are " +
           whole(least_km) +
           " km or more from the slip; with longitude and latitude exchanged all of them would be "
           "within " +
           whole(most_km) + " km of it";
}

}  // namespace

std::vector<std::string> place_warnings(std::span<const GivenStation> stations,
                                        const GeoBox& slip) {
    std::vector<Distances> all;
    for (const GivenStation& station : stations) {
        all.push_back(distances_of(station, slip));
    }
    if (all.empty()) {
        return {};
    }
    std::string warning = far_warning(all);
    if (warning.empty()) {
        warning = exchanged_warning(all);
    }
    return warning.empty() ? std::vector<std::string>{} : std::vector{std::move(warning)};
}

}  // namespace kaname::jobs
