// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solvers/meshing/gmsh/gmsh_import.hpp"
#include "solvers/meshing/mesh_source.hpp"
#include "worker/jobs/geometry/domain.hpp"
#include "worker/jobs/geometry/mesh_report.hpp"
#include "worker/jobs/geometry/sources/scenario_models.hpp"
#include "worker/jobs/geometry/sources/segment_faults.hpp"
#include "worker/jobs/geometry/sources/source_set.hpp"

namespace kaname::jobs {

/// Elements about one station, and what those in thin layers do to its motion.
struct StationElements {
    double size_m = 0.0;  ///< as asked for at the station
    /// Predicted errors (solvers/base/predicted_error.hpp) of the motion right after the slip and
    /// of the change since, parts of these, by elements that blunt layers. 0 where nothing relaxes,
    /// or where surfaces are not level: such volumes may end in wedges.
    double layers_at_once = 0.0, layers_since = 0.0;
};

/// How the mesh of a job comes about: one class per way.
class MeshPlan {
public:
    virtual ~MeshPlan() = default;
    /// Each throws ValidationError where the mesh would take more memory than there is.
    [[nodiscard]] virtual meshing::MeshSource::Count estimate() const = 0;
    [[nodiscard]] virtual mesh::TetMesh build(const meshing::Progress& progress) const = 0;
    /// Returns true if making the mesh takes minutes, so that errors are to be reported before.
    [[nodiscard]] virtual bool takes_long() const { return false; }
    /// Returns the elements about the job's stations; none where only the mesh knows them.
    [[nodiscard]] virtual std::vector<StationElements> at_stations() const { return {}; }
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
    [[nodiscard]] virtual mesh::SurfaceId surface_of(const PrescribedSide& data,
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

/// Faults that are surfaces of a mesh file. Slip comes from tables, or from a scenario's models.
/// Nothing is known of the model before the file is read, which survey() and the plan's build do.
class MeshFileFaultModel final : public FaultModel {
public:
    /// Borrows `mesh_file`, the job's.
    MeshFileFaultModel(const GreensJob& job, const Domain& domain,
                       std::span<const ScenarioModel> models, const MeshFileFaults& mesh_file);

    [[nodiscard]] const MeshPlan& mesh_plan() const override { return plan_; }
    [[nodiscard]] std::unique_ptr<SourceSet> own_sources() const override;
    [[nodiscard]] std::vector<std::vector<SegmentFault>> segment_faults(
        const mesh::TetMesh& mesh) const override;
    /// A face of a fault bounds a viscous element, or a moment lies in one.
    [[nodiscard]] bool slips_in_viscous_rock(const SourceSet& slip,
                                             const mesh::TetMesh& mesh) const override;
    /// Returns the stations; those without a depth that lie over or under the mesh's top are moved
    /// onto it.
    [[nodiscard]] std::vector<Vec3> stations_in(const mesh::TetMesh& mesh) const override;
    [[nodiscard]] std::vector<HeldComponent> held(const mesh::TetMesh& mesh) const override;
    [[nodiscard]] mesh::SurfaceId surface_of(const PrescribedSide& data,
                                             const mesh::TetMesh& mesh) const override;
    void survey(const JobGeometry& geometry, Survey& survey) const override;

private:
    class Plan final : public MeshPlan {
    public:
        explicit Plan(meshing::GmshSource source) : source_(std::move(source)) {}
        [[nodiscard]] meshing::MeshSource::Count estimate() const override {
            return source_.estimate();
        }
        [[nodiscard]] mesh::TetMesh build(const meshing::Progress& progress) const override {
            return source_.build(progress);
        }
        [[nodiscard]] meshing::GmshImport read() const { return source_.read(); }

    private:
        meshing::GmshSource source_;
    };
    void survey_stations(const mesh::TetMesh& mesh, Survey& survey) const;
    void survey_slip(const JobGeometry& geometry, const MeshedFault& fault, Survey& survey) const;

    std::span<const ScenarioModel> models_;
    const MeshFileFaults& mesh_file_;
    Plan plan_;
};

}  // namespace kaname::jobs
