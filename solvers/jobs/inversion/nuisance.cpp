// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/inversion/nuisance.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/base/vec3.hpp"

namespace kaname::jobs {
namespace {

constexpr double kRampLength_m = 1e5;
constexpr double kMicroradian = 1e-6;

bool has_ramp(const std::string& component) {
    return component == "los" || component == "up";
}

}  // namespace

Nuisance::Nuisance(const std::vector<ObservationSet>& sets) {
    std::vector<Violation> broken;
    for (std::size_t k = 0; k < sets.size(); ++k) {
        const ObservationSet& set = sets[k];
        Columns columns;
        columns.first = n_;
        columns.offset = set.offset || set.ramp;
        columns.ramp = set.ramp;
        columns.rotation = set.rotation;
        const double n = static_cast<double>(std::max<std::size_t>(1, set.data.size()));
        for (const Datum& datum : set.data) {
            columns.lon_deg += datum.lon_deg / n;
            columns.lat_deg += datum.lat_deg / n;
            if (std::ranges::find(columns.components, datum.component) ==
                columns.components.end()) {
                columns.components.push_back(datum.component);
            }
        }
        std::ranges::sort(columns.components);
        const std::string unit = set.velocity ? "_m_per_year" : "_m";
        const std::string field = "data[" + std::to_string(k) + "].nuisance";
        if ((set.ramp || set.rotation) && std::isnan(columns.lon_deg + columns.lat_deg)) {
            broken.push_back(
                {field, "ramp and rotation need the places of all rows (lon_deg, lat_deg)"});
        }
        for (const std::string& component : columns.components) {
            if (columns.offset) {
                columns.names.push_back("offset_" + component + unit);
            }
            if (columns.ramp && has_ramp(component)) {
                columns.names.push_back("ramp_to_east_" + component + unit + "_per_100km");
                columns.names.push_back("ramp_to_north_" + component + unit + "_per_100km");
            }
        }
        if (columns.rotation) {
            for (const char* axis : {"x", "y", "z"}) {
                columns.names.push_back(std::string("rotation_") + axis + "_microrad" +
                                        (set.velocity ? "_per_year" : ""));
            }
        }
        n_ += static_cast<int>(columns.names.size());
        columns_.push_back(std::move(columns));
    }
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
}

void Nuisance::fill(std::size_t set, const Datum& datum, double* row) const {
    const Columns& columns = columns_[set];
    double* at = row + columns.first;
    for (const std::string& component : columns.components) {
        const double own = component == datum.component ? 1.0 : 0.0;
        if (columns.offset) {
            *at++ = own;
        }
        if (columns.ramp && has_ramp(component)) {
            const double metres_per_degree = kEarthRadius_m * kDegree;
            const double east = (datum.lon_deg - columns.lon_deg) * metres_per_degree *
                                std::cos(columns.lat_deg * kDegree);
            const double north = (datum.lat_deg - columns.lat_deg) * metres_per_degree;
            *at++ = own * east / kRampLength_m;
            *at++ = own * north / kRampLength_m;
        }
    }
    if (columns.rotation) {
        const double lon = datum.lon_deg * kDegree, lat = datum.lat_deg * kDegree;
        const Vec3 up = {std::cos(lat) * std::cos(lon), std::cos(lat) * std::sin(lon),
                         std::sin(lat)};
        const Vec3 east = {-std::sin(lon), std::cos(lon), 0.0};
        const Vec3 direction = datum.east * east + datum.north * cross(up, east) + datum.up * up;
        // v = omega x r
        for (const Vec3& axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}) {
            *at++ = kMicroradian * kEarthRadius_m * dot(cross(axis, up), direction);
        }
    }
}

}  // namespace kaname::jobs
