// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "worker/jobs/geometry/fault_model.hpp"
#include "worker/jobs/geometry/sources/fault_patches.hpp"

namespace kaname::jobs {

/// Faults that Kaname meshes, all but those of a mesh file: one or several, which may touch, branch
/// and cross. Each is a rectangle of 1..90 degrees dip or one of the surfaces between the job's
/// volumes, with its patches or, in a scenario, with the slip that lies nearest to it.
class GeneratedFaults final : public FaultModel {
public:
    /// The faults that the job names, or the planes of its slip models. Throws ValidationError for
    /// a plane outside of the region, and in a scenario for an interface without slip on it.
    GeneratedFaults(const GreensJob& job, const Domain& domain,
                    std::span<const ScenarioModel> models);

    [[nodiscard]] const MeshPlan& mesh_plan() const override { return *plan_; }
    [[nodiscard]] int mesh_parts() const override { return n_parts_; }
    [[nodiscard]] std::unique_ptr<SourceSet> own_sources() const override;
    [[nodiscard]] std::vector<std::vector<SegmentFault>> segment_faults(
        const mesh::TetMesh& /*mesh*/) const override {
        return segments_;
    }
    [[nodiscard]] std::vector<std::string> warnings() const override;
    void survey(const JobGeometry& geometry, Survey& survey) const override;

private:
    struct One {
        std::string name, field;
        std::unique_ptr<fault::FaultSurface> surface = nullptr;
        std::optional<PlaneOutline> plane = std::nullopt;  ///< outline of a plane, or else:
        std::string of = {};                               ///< a surface of the model
        SectionFrame section = {};                         ///< and the frame it is seen in
        meshing::FaultWindow window = {};                  ///< what slips of it
        PatchGrid patches = {};                            ///< none in a scenario
    };
    [[nodiscard]] bool of_scenario() const { return job().scenario.has_value(); }
    void add_plane(const NamedFault& named, const PlaneOutline& plane, const OpenEdges& open = {});
    void add_interface(const NamedFault& named, const InterfaceGeometry& interface);
    void add_patches(PatchesInVolumes made, const FaultPatches& of_job);
    /// Segments of the models go to the nearest fault, or to the `given` [models][segments].
    void find_segments(const std::vector<std::vector<int>>& given);
    /// In a scenario an interface is meshed about its own slip, in the frame of that.
    void lay_about_slip(One& fault, int index) const;
    /// Planes of slip models that cross or nearly touch are meshed apart [faults]; empty where one
    /// mesh holds all.
    [[nodiscard]] std::vector<int> mesh_of_faults() const;
    void request_mesh();

    std::span<const ScenarioModel> models_;  ///< none without a scenario
    std::vector<One> faults_;
    std::vector<std::vector<SegmentFault>> segments_;  ///< [models][segments] with a scenario
    std::vector<std::string> names_;                   ///< in the mesh
    std::optional<FaultPart> thinnest_;                ///< part with the smallest elements
    int n_parts_ = 1;                                  ///< of the mesh
    std::unique_ptr<MeshPlan> plan_;
};

}  // namespace kaname::jobs
