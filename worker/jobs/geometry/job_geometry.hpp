// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solvers/base/error.hpp"
#include "solvers/base/geo_box.hpp"
#include "solvers/base/predicted_error.hpp"
#include "worker/jobs/geometry/domain.hpp"
#include "worker/jobs/geometry/fault_model.hpp"
#include "worker/jobs/geometry/predicted_errors.hpp"
#include "worker/jobs/geometry/side_values.hpp"
#include "worker/jobs/geometry/sources/source_set.hpp"
#include "worker/jobs/stage/greens_job.hpp"

namespace kaname::jobs {

/// Unit forces at the stations, from which reciprocity has the motion that any slip causes there:
/// "STATION/east", "/north", "/up" in true directions, or "STATION/look" alone where a station is
/// observed along one line.
class StationForces {
public:
    struct Force {
        std::string id;
        std::size_t station;  ///< index in GreensJob::stations
        int component;        ///< place in the dataset: 0 east, 1 north, 2 up; -1: along the look
    };

    /// Borrows both.
    StationForces(const GreensJob& job, const Domain& domain);

    [[nodiscard]] const std::vector<Force>& all() const { return forces_; }
    [[nodiscard]] std::vector<std::string> ids() const;
    /// Throws InvalidArgument for an id that is none of them.
    [[nodiscard]] const Force& at(const std::string& id) const;
    /// True east, north, up.
    [[nodiscard]] Vec3 true_direction(const Force& force) const;
    /// Unit vector in the frame of the mesh at a place.
    [[nodiscard]] Vec3 direction(const Force& force, const Vec3& place) const;
    /// Returns the key of everything that decides a force beside mesh and rock: its place and
    /// direction, but not its station's name.
    [[nodiscard]] std::string key(const std::string& id) const;
    /// Checks the rules of jobs that are solved by forces.
    void check(std::vector<Violation>& violations) const;

private:
    const GreensJob& job_;
    const Domain& domain_;
    std::vector<Force> forces_;
};

/// GivenStation is a station at the longitude and latitude that a user gave.
struct GivenStation {
    std::string id;
    GeoPoint at;
};

/// Warns of stations whose longitude and latitude seem exchanged, and of slip that no station is
/// near. A station seems exchanged where it lies more than 100 km from the box around the slip,
/// five times as far as it would, and at least twice as far as the others. Where no station lies
/// within 1,500 km, the nearest is named.
[[nodiscard]] std::vector<std::string> place_warnings(std::span<const GivenStation> stations,
                                                      const GeoBox& slip);

/// The geometry of a job in the model frame: domain, fault, sources. Built by every stage from the
/// same job, so that all of them agree.
class JobGeometry {
public:
    /// Borrows the job. Throws ValidationError / InvalidArgument when the geometry cannot be built
    /// at all; rules that only need checking are in check().
    explicit JobGeometry(const GreensJob& job);
    JobGeometry(const JobGeometry&) = delete;
    JobGeometry& operator=(const JobGeometry&) = delete;

    [[nodiscard]] const Domain& domain() const { return domain_; }
    [[nodiscard]] const FaultModel& fault() const { return *fault_; }
    [[nodiscard]] const SourceSet& slip() const { return *slip_; }
    [[nodiscard]] const SideSources& sides() const { return sides_; }
    [[nodiscard]] const StationForces& forces() const { return forces_; }
    /// Ids of the sources that slip, then of those that are sides.
    [[nodiscard]] std::vector<std::string> source_ids() const;
    /// Ids of what is solved for: the sources, or forces at the stations.
    [[nodiscard]] std::vector<std::string> solve_ids() const;
    /// Key of all that decides the result of one of these on a mesh.
    [[nodiscard]] std::string source_key(const std::string& mesh_hash, const std::string& id) const;

    /// Every broken rule that needs geometry: stations and fault inside the region, patches on the
    /// interface's data.
    [[nodiscard]] std::vector<Violation> check() const;
    [[nodiscard]] std::vector<std::string> warnings() const;
    [[nodiscard]] PredictedErrors predicted_errors() const;
    /// FaultModel::survey, with the notes of the sources and the predicted error before it.
    void survey(Survey& survey) const;

    /// As MeshPlan; build_mesh throws ValidationError also where the mesh would have more elements
    /// than mesh.max_elements.
    [[nodiscard]] meshing::MeshSource::Count estimate_mesh() const;
    [[nodiscard]] mesh::TetMesh build_mesh(const meshing::Progress& progress) const;

private:
    /// Returns place_warnings() of the stations where the model has a place on the globe.
    [[nodiscard]] std::vector<std::string> station_warnings() const;

    const GreensJob& job_;
    Domain domain_;
    std::vector<ScenarioModel> models_;
    std::unique_ptr<FaultModel> fault_;
    std::unique_ptr<SourceSet> slip_;
    SideSources sides_;
    StationForces forces_;
};

[[nodiscard]] Violation beyond_max_elements(std::int64_t needed, std::int64_t most);

}  // namespace kaname::jobs
