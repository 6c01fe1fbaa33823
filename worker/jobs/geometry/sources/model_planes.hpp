// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "worker/jobs/geometry/sources/scenario_models.hpp"
#include "worker/jobs/geometry/volume_plan.hpp"

namespace kaname::jobs {

/// Axes of a plane fault: centre of its upper edge, strike (grid azimuth), dip, sizes.
struct PlaneOutline {
    Vec3 top_centre;
    double strike_rad = 0.0, dip_rad = 0.0, length_m = 0.0, width_m = 0.0;
};
/// Planes of the models' segments.
struct PlanesOfModels {
    std::vector<PlaneOutline> planes;
    std::vector<std::vector<int>> of_segment;  ///< [models][segments]: index into `planes`
};
/// The rectangles that hold the models, each for all segments that lie in its plane, to the surface
/// where one of them reaches it. A segment's plane is that of its patches' centres where they form
/// a grid: what a file states as strike and dip is rounded, and of the flat Earth. Throws
/// ValidationError (field fault) for slip at points, which says nothing of a plane, and for a
/// segment that is no plane.
[[nodiscard]] PlanesOfModels planes_of(std::span<const ScenarioModel> models, double cell_m);

/// Distributes planes over meshes: none of one mesh comes nearer to another of it than `apart_m`.
/// The index of each plane's mesh, from 0 without gaps.
[[nodiscard]] std::vector<int> meshes_of_planes(std::span<const PlaneOutline> planes,
                                                double apart_m);

/// The mesh of a model whose faults cross or nearly touch: one mesh of the whole model for each
/// group of faults that do not, side by side as parts of one mesh (mesh/mesh_parts.hpp). The medium
/// is linear, so the motion is the sum of that in all parts.
class SeveralMeshes final : public MeshPlan {
public:
    /// `mesh` [faults]: which part each fault is in. `names` of the faults in the whole mesh.
    SeveralMeshes(const GreensJob& job, const Domain& domain, std::vector<RequestedFault> faults,
                  std::vector<int> mesh, std::vector<std::string> names);

    [[nodiscard]] meshing::MeshSource::Count estimate() const override;
    [[nodiscard]] mesh::TetMesh build(const meshing::Progress& progress) const override;
    [[nodiscard]] bool takes_long() const override { return true; }
    /// Returns the largest elements and errors of all parts, whose motion is summed.
    [[nodiscard]] std::vector<StationElements> at_stations() const override;
    /// Returns the warnings of all parts, each once.
    [[nodiscard]] std::vector<std::string> warnings() const override;

    /// Returns the names of the faults in the whole mesh.
    [[nodiscard]] const std::vector<std::string>& fault_names() const { return names_; }

private:
    std::vector<std::unique_ptr<VolumePlan>> parts_;
    std::vector<std::string> names_;
};

}  // namespace kaname::jobs
