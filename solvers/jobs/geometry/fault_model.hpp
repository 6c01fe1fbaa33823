// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solvers/jobs/geometry/domain.hpp"
#include "solvers/jobs/geometry/mesh_report.hpp"
#include "solvers/jobs/geometry/scenario_models.hpp"
#include "solvers/jobs/geometry/segment_faults.hpp"
#include "solvers/jobs/geometry/source_set.hpp"
#include "solvers/meshing/mesh_source.hpp"

namespace kaname::jobs {

/// How the mesh of a job comes about: one class per way.
class MeshPlan {
public:
    virtual ~MeshPlan() = default;
    /// Each throws ValidationError where the mesh would take more memory than there is.
    [[nodiscard]] virtual meshing::MeshSource::Count estimate() const = 0;
    [[nodiscard]] virtual mesh::TetMesh build(const meshing::Progress& progress) const = 0;
    /// Returns true if making the mesh takes minutes, so that errors are to be reported before.
    [[nodiscard]] virtual bool takes_long() const { return false; }
    /// Returns warnings on the parts of the model that the mesh leaves out.
    [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
    /// Reports on the mesh that this plan made and check_mesh() accepted, with its faces.
    [[nodiscard]] virtual MeshReport report(const mesh::TetMesh& mesh,
                                            const mesh::FaceSet& faces) const {
        return report_mesh(mesh, faces);
    }
};

class JobGeometry;

/// Survey holds the findings about a job's geometry before its mesh is made.
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

/// FaultModel describes the faults that slip and how the model around them is meshed. Faults of a
/// mesh file are known only with their mesh, all others before.
class FaultModel {
public:
    /// Borrows both.
    FaultModel(const GreensJob& job, const Domain& domain) : job_(job), domain_(domain) {}
    virtual ~FaultModel() = default;
    FaultModel(const FaultModel&) = delete;
    FaultModel& operator=(const FaultModel&) = delete;

    [[nodiscard]] virtual const MeshPlan& mesh_plan() const = 0;
    /// Returns the number of parts of the mesh that fill the model side by side, each with faults
    /// of its own. The motion is the sum of the motion in all parts.
    [[nodiscard]] virtual int mesh_parts() const { return 1; }
    /// Returns the sources on these faults where the job has no slip models: unit slip on patches,
    /// or tables. Borrows this.
    [[nodiscard]] virtual std::unique_ptr<SourceSet> own_sources() const = 0;
    /// Returns the fault that takes each segment of the scenario's slip models [models][segments].
    [[nodiscard]] virtual std::vector<std::vector<SegmentFault>> segment_faults(
        const mesh::TetMesh& mesh) const = 0;

    /// Returns true if rock beside the slip relaxes. `mesh` is that of the job.
    [[nodiscard]] virtual bool slips_in_viscous_rock(const SourceSet& slip,
                                                     const mesh::TetMesh& mesh) const;
    /// Returns the places where the stations are located in the mesh. Where the top has relief,
    /// stations without a depth, and those above it, are moved to the height that the mesh's top
    /// has there. Stations beside the top stay where they are.
    [[nodiscard]] virtual std::vector<Vec3> stations_in(const mesh::TetMesh& mesh) const;
    /// Returns the components of displacement that are fixed or held by rollers. Throws
    /// ValidationError naming a surface that the mesh does not have, and a roller surface that does
    /// not face a grid axis (coordinates).
    [[nodiscard]] virtual std::vector<HeldComponent> held(const mesh::TetMesh& mesh) const;
    /// Returns the surface of the mesh that the data are for. Throws as held.
    [[nodiscard]] virtual mesh::SurfaceId surface_of(const BoundaryDataSpec& data,
                                                     const mesh::TetMesh& mesh) const;

    [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
    /// Adds the findings about the whole geometry. Throws ValidationError where the mesh would take
    /// more memory than there is.
    virtual void survey(const JobGeometry& geometry, Survey& survey) const = 0;

protected:
    /// Returns true if rock beside the slip relaxes by the model of the structure, before there is
    /// a mesh.
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
