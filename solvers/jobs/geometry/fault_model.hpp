// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solvers/jobs/geometry/domain.hpp"
#include "solvers/jobs/geometry/mesh_plan.hpp"
#include "solvers/jobs/geometry/scenario_models.hpp"
#include "solvers/jobs/geometry/segment_faults.hpp"
#include "solvers/jobs/geometry/source_set.hpp"

namespace kaname::jobs {

class JobGeometry;

/// What is found out about a job's geometry before its mesh is made.
struct Survey {
    std::vector<Violation> violations;
    std::vector<std::string> warnings, notes;
    std::int64_t vertices = 0, tets = 0, nodes = 0;
    bool slips_in_viscous_rock = false;
};

/// A component of displacement (0 east, 1 north, 2 up) that is held on a side.
struct HeldComponent {
    mesh::SurfaceId side;
    int component;
};

/// What slips, and how the model around it is meshed. Faults of a mesh file are known with their
/// mesh, all others before.
class FaultModel {
public:
    /// Borrows both.
    FaultModel(const GreensJob& job, const Domain& domain) : job_(job), domain_(domain) {}
    virtual ~FaultModel() = default;
    FaultModel(const FaultModel&) = delete;
    FaultModel& operator=(const FaultModel&) = delete;

    [[nodiscard]] virtual const MeshPlan& mesh_plan() const = 0;
    /// How many parts of the mesh fill the model side by side, each with faults of its own: what
    /// happens is the sum of what happens in them.
    [[nodiscard]] virtual int mesh_parts() const { return 1; }
    /// What slips on it where no slip models do: units of its patches, or tables. Borrows this.
    [[nodiscard]] virtual std::unique_ptr<SourceSet> own_sources() const = 0;
    /// Which fault takes which segment of the scenario's slip models [models][segments].
    [[nodiscard]] virtual std::vector<std::vector<SegmentFault>> segment_faults(
        const mesh::TetMesh& mesh) const = 0;

    /// Whether rock beside what slips relaxes; the mesh is that of the job.
    [[nodiscard]] virtual bool slips_in_viscous_rock(const SourceSet& slip,
                                                     const mesh::TetMesh& mesh) const;
    /// Where the stations are sought in the mesh: where the top has relief, those without a depth
    /// stand on it, wherever the mesh has it. Stations beside the top stay where they are.
    [[nodiscard]] virtual std::vector<Vec3> stations_in(const mesh::TetMesh& mesh) const;
    /// What is fixed or rolls. Throws ValidationError naming a surface that the mesh does not have,
    /// and a roller surface that does not face a grid axis (coordinates).
    [[nodiscard]] virtual std::vector<HeldComponent> held(const mesh::TetMesh& mesh) const;
    /// The surface of the mesh that data are for. Throws as held.
    [[nodiscard]] virtual mesh::SurfaceId surface_of(const BoundaryDataSpec& data,
                                                     const mesh::TetMesh& mesh) const;

    [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
    /// Adds everything that can be said about the whole geometry. Throws ValidationError where the
    /// mesh would take more memory than there is.
    virtual void survey(const JobGeometry& geometry, Survey& survey) const = 0;

protected:
    /// The same before there is a mesh.
    [[nodiscard]] bool slips_in_viscous_rock(const SourceSet& slip) const;
    [[nodiscard]] const GreensJob& job() const { return job_; }
    [[nodiscard]] const Domain& domain() const { return domain_; }

private:
    const GreensJob& job_;
    const Domain& domain_;
};

/// The job's kind of fault; `models` are its scenario's. Throws ValidationError or InvalidArgument
/// when the geometry cannot be built at all.
[[nodiscard]] std::unique_ptr<FaultModel> make_fault_model(const GreensJob& job,
                                                           const Domain& domain,
                                                           std::span<const ScenarioModel> models);

}  // namespace kaname::jobs
