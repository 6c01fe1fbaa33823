// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/geometry/job_geometry.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>

#include "solvers/base/checksums.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/base/vec3.hpp"
#include "worker/jobs/geometry/sources/model_sources.hpp"
#include "worker/jobs/geometry/sources/slip_description.hpp"

namespace kaname::jobs {

StationForces::StationForces(const GreensJob& job, const Domain& domain)
    : job_(job), domain_(domain) {
    for (std::size_t k = 0; k < job.stations.size(); ++k) {
        const Station& station = job.stations[k];
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
    const Station& station = job_.stations[force.station];
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

namespace {

std::vector<ScenarioModel> models_of(const GreensJob& job, const Domain& domain) {
    return job.scenario ? read_models(*job.scenario, domain.optional_projection())
                        : std::vector<ScenarioModel>();
}

}  // namespace

JobGeometry::JobGeometry(const GreensJob& job)
    : job_(job),
      domain_(job),
      models_(models_of(job, domain_)),
      fault_(make_fault_model(job, domain_, models_)),
      sides_(job.boundaries.sources),
      forces_(job, domain_) {
    if (job.scenario) {
        slip_ = std::make_unique<ModelSources>(job, domain_, models_, *fault_);
    } else {
        slip_ = fault_->own_sources();
    }
}

std::vector<std::string> JobGeometry::source_ids() const {
    std::vector<std::string> ids = slip_->ids();
    std::ranges::move(sides_.ids(), std::back_inserter(ids));
    return ids;
}

std::vector<std::string> JobGeometry::solve_ids() const {
    return job_.by_receivers ? forces_.ids() : source_ids();
}

std::string JobGeometry::source_key(const std::string& mesh_hash, const std::string& id) const {
    if (job_.by_receivers) {
        return sha256_hex(job_.solve_key + '\n' + mesh_hash + '\n' + forces_.key(id));
    }
    const int side = sides_.index(id);
    const std::string content = side >= 0 ? sides_.at(side).key : slip_->content_key(id);
    return sha256_hex(job_.solve_key + '\n' + mesh_hash + '\n' + id +
                      (content.empty() ? "" : '\n' + content));
}

std::vector<Violation> JobGeometry::check() const {
    std::vector<Violation> violations;
    domain_.check(violations);
    slip_->check(violations);
    forces_.check(violations);
    return violations;
}

std::vector<std::string> JobGeometry::warnings() const {
    std::vector<std::string> result = station_warnings();
    std::ranges::move(predicted_errors().warnings(), std::back_inserter(result));
    std::ranges::move(slip_->warnings(), std::back_inserter(result));
    std::ranges::move(fault_->warnings(), std::back_inserter(result));
    // Before what is said of larger boxes.
    std::vector<std::string> curved = domain_.curvature_warnings(slip_->centres());
    result.insert(result.begin(), curved.begin(), curved.end());
    return result;
}

PredictedErrors JobGeometry::predicted_errors() const {
    return {job_, domain_, *slip_, fault_->mesh_plan().at_stations()};
}

void JobGeometry::survey(Survey& survey) const {
    std::ranges::move(slip_->notes(), std::back_inserter(survey.notes));
    if (std::string text = predicted_errors().text(); !text.empty()) {
        survey.notes.push_back(std::move(text));
    }
    fault_->survey(*this, survey);
}

meshing::MeshSource::Count JobGeometry::estimate_mesh() const {
    return fault_->mesh_plan().estimate();
}

mesh::TetMesh JobGeometry::build_mesh(const meshing::Progress& progress) const {
    const std::int64_t most = job_.mesh.sizes.max_elements;
    if (const auto n = most > 0 ? estimate_mesh().tets : 0; n > most) {
        throw ValidationError({beyond_max_elements(n, most)});
    }
    return fault_->mesh_plan().build(progress);
}

Violation beyond_max_elements(std::int64_t needed, std::int64_t most) {
    return {"mesh.max_elements", "must be at least what the sizes come to, about " +
                                     std::to_string(needed) + " elements, got " +
                                     std::to_string(most)};
}

std::vector<std::string> JobGeometry::station_warnings() const {
    const std::vector<Vec3> slips = slip_->centres();
    if (!domain_.projected() || slips.empty()) {
        return {};
    }
    constexpr std::size_t kEnough = 1000;
    std::vector<GeoPoint> places;
    for (std::size_t k = 0; k < slips.size(); k += 1 + slips.size() / kEnough) {
        const earth::LonLat at = domain_.projection().inverse({slips[k].x, slips[k].y});
        places.push_back({at.lon_deg, at.lat_deg});
    }
    std::vector<GivenStation> stations;
    for (const Station& station : job_.stations) {
        stations.push_back({station.id, {station.lon_deg, station.lat_deg}});
    }
    return place_warnings(stations, *geo_box_of(places));
}

}  // namespace kaname::jobs
