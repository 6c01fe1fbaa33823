// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/geometry/job_geometry.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>

#include "solvers/base/checksums.hpp"
#include "solvers/base/predicted_error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/base/vec3.hpp"
#include "solvers/viscoelastic/model/relaxation.hpp"
#include "worker/jobs/geometry/sources/model_sources.hpp"
#include "worker/jobs/geometry/sources/slip_description.hpp"

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

namespace {

constexpr double kWorthAWarning = 0.02;
constexpr int kDepthSamples = 200;

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
    std::vector<std::string> result = box_warnings();
    std::ranges::move(slip_->warnings(), std::back_inserter(result));
    std::ranges::move(gentle_slip(job_, domain_, *slip_), std::back_inserter(result));
    std::ranges::move(fault_->warnings(), std::back_inserter(result));
    // Before what is said of larger boxes.
    std::vector<std::string> curved = domain_.curvature_warnings(slip_->centres());
    result.insert(result.begin(), curved.begin(), curved.end());
    return result;
}

void JobGeometry::survey(Survey& survey) const {
    std::ranges::move(slip_->notes(), std::back_inserter(survey.notes));
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

double JobGeometry::lid_m(const Vec3& at) const {
    const double depth_m = domain_.box().depth_m;
    for (int k = 0; k <= kDepthSamples; ++k) {
        const Vec3 x{at.x, at.y, -depth_m * k / kDepthSamples};
        if (domain_.volumes().material(x).viscosity_pa_s) {
            return -x.z;
        }
    }
    return depth_m;
}

std::vector<std::string> JobGeometry::box_warnings() const {
    const std::vector<Vec3> slips = slip_->centres();
    if (slips.empty()) {
        return {};
    }
    // Without stations: what the surface does a quarter of the slip's length from it.
    std::vector<Vec3> places = domain_.stations();
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
        of.side_m = domain_.gap_to_held_sides_m(slips[nearest]);
        if (tau_s && lids_m[nearest] < 0.0) {
            lids_m[nearest] = lid_m(slips[nearest]);
        }
        of.lid_m = tau_s ? lids_m[nearest] : 0.0;
        of.maxwell_times = tau_s ? job_.time.end_s / *tau_s : 0.0;
        if (const double error = box_error(of); error > worst_error) {
            worst = of;
            worst_error = error;
            where = k;
        }
    }
    if (worst_error < kWorthAWarning) {
        return {};
    }
    const std::string seen = domain_.stations().empty()
                                 ? "the surface near the slip"
                                 : "station '" + job_.stations[where].id + "'";
    char text[400];
    std::snprintf(
        text, sizeof text,
        "region: a side or the bottom, %.4g km from the slip, changes the motion of %s by "
        "about %.0f %%%s; %.0f %% would take a box whose sides and bottom are %.0f "
        "km from the slip, with far elements as large (mesh.size_far)",
        worst.side_m / 1000.0, seen.c_str(), 100.0 * worst_error,
        job_.time.end_s > 0.0 && tau_s ? (" after " + years_text(job_.time.end_s)).c_str() : "",
        100.0 * kWorthAWarning, 10.0 * std::ceil(side_needed_m(worst, kWorthAWarning) / 10e3));
    return {text};
}

namespace {

constexpr double kChangeWorthTelling = 0.02;
constexpr double kLateEnough = 0.5;   // Maxwell times
constexpr double kBesideSlip = 0.25;  // distance at which rock is looked up, in elements
constexpr double kSlowGrowth = 0.15;  // what gentle dips have by default
constexpr double kFlattest_deg = 1.0;

}  // namespace

double gentle_slip_error(double dip_deg, double growth) {
    constexpr double kError = 0.032, kDip_deg = 10.0, kGrowth = 0.3, kPower = 1.2;
    const double dip = std::max(dip_deg, kFlattest_deg);
    return std::min(1.0, kError * std::pow(kDip_deg / dip, kPower) * growth / kGrowth);
}

std::vector<std::string> gentle_slip(const GreensJob& job, const Domain& domain,
                                     const SourceSet& slip) {
    const auto tau_s = viscoelastic::shortest_relaxation_time_s(job.structure);
    if (!job.volume_model || !tau_s || job.time.end_s < kLateEnough * *tau_s) {
        return {};
    }
    double gentlest_deg = 90.0;
    (void)slip.any_place([&](const Vec3& x, const Vec3& normal) {
        const double dip_deg = std::acos(std::min(1.0, std::abs(normal.z))) / kDegree;
        const Vec3 away = kBesideSlip * job.mesh.size_at_fault_m * normal;
        if (dip_deg < gentlest_deg && (domain.volumes().material(x + away).viscosity_pa_s ||
                                       domain.volumes().material(x - away).viscosity_pa_s)) {
            gentlest_deg = dip_deg;
        }
        return false;
    });
    const double error = gentle_slip_error(gentlest_deg, job.mesh.growth);
    if (error <= kChangeWorthTelling) {
        return {};
    }
    char text[400];
    std::snprintf(text, sizeof text,
                  "mesh: slip that dips by %.3g degrees in rock that relaxes moves the ground "
                  "little after the slip; that change may be off by about %.1f %% of itself "
                  "(predicted; the motion right after the slip is not concerned)",
                  gentlest_deg, 100.0 * error);
    std::string warning = text;
    if (job.mesh.growth > kSlowGrowth) {
        std::snprintf(text, sizeof text,
                      "; mesh.growth of %g in place of %g makes it about %.1f %%, and takes about "
                      "three times as long",
                      kSlowGrowth, job.mesh.growth,
                      100.0 * gentle_slip_error(gentlest_deg, kSlowGrowth));
        warning += text;
    }
    return {warning};
}

}  // namespace kaname::jobs
