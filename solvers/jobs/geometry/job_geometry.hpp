// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "solvers/jobs/geometry/domain.hpp"
#include "solvers/jobs/geometry/fault_model.hpp"
#include "solvers/jobs/geometry/side_sources.hpp"
#include "solvers/jobs/geometry/source_set.hpp"
#include "solvers/jobs/geometry/station_forces.hpp"

namespace kaname::jobs {

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
    /// FaultModel::survey, with the notes of the sources before it.
    void survey(Survey& survey) const;

    /// As MeshPlan; build_mesh throws ValidationError also where the mesh would have more elements
    /// than mesh.max_elements.
    [[nodiscard]] meshing::MeshSource::Count estimate_mesh() const;
    [[nodiscard]] mesh::TetMesh build_mesh(const meshing::Progress& progress) const;

private:
    /// Depth of the first viscous rock in the column of a place; that of the box where there is
    /// none.
    [[nodiscard]] double lid_m(const Vec3& at) const;
    /// Where the box changes what is seen at the stations (box_error.hpp).
    [[nodiscard]] std::vector<std::string> box_warnings() const;

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
