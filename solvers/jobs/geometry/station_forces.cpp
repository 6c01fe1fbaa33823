// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/geometry/station_forces.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "solvers/base/directions.hpp"
#include "solvers/jobs/geometry/dataset_places.hpp"

namespace kaname::jobs {

StationForces::StationForces(const GreensJob& job, const Domain& domain)
    : job_(job), domain_(domain) {
    for (std::size_t k = 0; k < job.stations.size(); ++k) {
        const StationSpec& station = job.stations[k];
        if (station.look) {
            forces_.push_back({station.id + "/look", k, -1});
            continue;
        }
        for (int comp = 0; comp < 3; ++comp) {
            forces_.push_back({station.id + "/" + kDirections[comp], k, comp});
        }
    }
}

std::vector<std::string> StationForces::ids() const {
    std::vector<std::string> ids;
    for (const Force& force : forces_) {
        ids.push_back(force.id);
    }
    return ids;
}

const StationForces::Force& StationForces::at(const std::string& id) const {
    const auto found = std::ranges::find(forces_, id, &Force::id);
    if (found == forces_.end()) {
        throw Error(ErrorCode::InvalidArgument,
                    "force must be one at the job's stations, got '" + id + "'");
    }
    return *found;
}

Vec3 StationForces::true_direction(const Force& force) const {
    if (force.component < 0) {
        return *job_.stations[force.station].look;
    }
    Vec3 direction;
    direction[force.component] = 1.0;
    return direction;
}

Vec3 StationForces::direction(const Force& force, const Vec3& place) const {
    // True north lies `convergence` clockwise of grid north.
    const double c = std::cos(convergence(domain_, place));
    const double s = std::sin(convergence(domain_, place));
    const Vec3 of = true_direction(force);
    return {c * of.x + s * of.y, -s * of.x + c * of.y, of.z};
}

std::string StationForces::key(const std::string& id) const {
    const Force& force = at(id);
    const StationSpec& station = job_.stations[force.station];
    const bool plain = !domain_.projected();
    const Vec3 along = true_direction(force);
    char text[240];
    std::snprintf(text, sizeof text, "force %.12g %.12g %s%.12g along %.12g %.12g %.12g",
                  plain ? station.x_m : station.lon_deg, plain ? station.y_m : station.lat_deg,
                  station.depth_m ? "" : "surface ", station.depth_m.value_or(0.0), along.x,
                  along.y, along.z);
    return text;
}

void StationForces::check(std::vector<Violation>& violations) const {
    if (!job_.by_receivers) {
        return;
    }
    if (job_.scenario) {
        violations.push_back({"solve_by", "must be sources in a scenario, got receivers"});
    }
    if (!job_.boundaries.sources.empty()) {
        violations.push_back({"solve_by",
                              "must be sources where sides are moved or loaded, got receivers: "
                              "forces at the stations say nothing of them"});
    }
}

}  // namespace kaname::jobs
