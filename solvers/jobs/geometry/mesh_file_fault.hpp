// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/jobs/geometry/fault_model.hpp"
#include "solvers/meshing/gmsh/gmsh_import.hpp"

namespace kaname::jobs {

/// Faults that are surfaces of a mesh file. Slip comes from tables, or from a scenario's models.
/// Nothing is known of the model before the file is read, which survey() and the plan's build do.
class MeshFileFaultModel final : public FaultModel {
public:
    /// Borrows `spec`, the job's.
    MeshFileFaultModel(const GreensJob& job, const Domain& domain,
                       std::span<const ScenarioModel> models, const MeshFileSpec& spec);

    [[nodiscard]] const MeshPlan& mesh_plan() const override { return plan_; }
    [[nodiscard]] std::unique_ptr<SourceSet> own_sources() const override;
    [[nodiscard]] std::vector<std::vector<SegmentFault>> segment_faults(
        const mesh::TetMesh& mesh) const override;
    /// A face of a fault bounds a viscous element.
    [[nodiscard]] bool slips_in_viscous_rock(const SourceSet& slip,
                                             const mesh::TetMesh& mesh) const override;
    /// Returns the stations; those without a depth that lie over or under the mesh's top are moved
    /// onto it.
    [[nodiscard]] std::vector<Vec3> stations_in(const mesh::TetMesh& mesh) const override;
    [[nodiscard]] std::vector<HeldComponent> held(const mesh::TetMesh& mesh) const override;
    [[nodiscard]] mesh::SurfaceId surface_of(const BoundaryDataSpec& data,
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
    const MeshFileSpec& spec_;
    Plan plan_;
};

}  // namespace kaname::jobs
