// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "solvers/jobs/geometry/fault_model.hpp"
#include "solvers/jobs/geometry/fault_request.hpp"
#include "solvers/jobs/geometry/model_planes.hpp"

namespace kaname::jobs {

/// A fault that Kaname meshes: all kinds but those of a mesh file.
class GeneratedFault : public FaultModel {
public:
    [[nodiscard]] const MeshPlan& mesh_plan() const override { return *plan_; }
    [[nodiscard]] std::vector<std::vector<SegmentFault>> segment_faults(
        const mesh::TetMesh& /*mesh*/) const override {
        return segments_;
    }
    [[nodiscard]] std::vector<std::string> warnings() const override;
    void survey(const JobGeometry& geometry, Survey& survey) const override;

protected:
    GeneratedFault(const GreensJob& job, const Domain& domain,
                   std::span<const ScenarioModel> models)
        : FaultModel(job, domain), models_(models) {}

    /// None without a scenario.
    [[nodiscard]] std::span<const ScenarioModel> models() const { return models_; }
    [[nodiscard]] bool of_scenario() const { return job().scenario.has_value(); }

    /// A structure of volumes around faults.
    void mesh_volumes(std::vector<RequestedFault> faults);
    /// Segments of the models go to the nearest of `n_faults`, or to the `given`
    /// [models][segments].
    void find_segment_faults(int n_faults, const DistanceToFault& distance,
                             const std::vector<std::vector<int>>& given = {});
    [[nodiscard]] const std::vector<std::vector<SegmentFault>>& segments() const {
        return segments_;
    }

private:
    std::span<const ScenarioModel> models_;
    std::unique_ptr<MeshPlan> plan_;
    std::vector<std::string> names_ = {"fault"};
    std::vector<std::vector<SegmentFault>> segments_;  ///< [models][segments] with a scenario
    std::optional<FaultPart> thinnest_;  ///< part with the smallest elements, in volumes
};

/// Distance to a plane's rectangle, or across an interface.
[[nodiscard]] NearFault near_fault(const fault::FaultSurface& fault,
                                   const std::optional<PlaneOutline>& plane, const Vec3& x);

/// In the fault's coordinates, around all that slips of the models.
[[nodiscard]] meshing::FaultWindow window_of(const fault::FaultSurface& fault,
                                             std::span<const ScenarioModel> models, double cell_m,
                                             const ModelFilter& of);

}  // namespace kaname::jobs
