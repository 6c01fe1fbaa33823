// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "solvers/jobs/geometry/model_planes.hpp"
#include "solvers/jobs/geometry/volume_plan.hpp"

namespace kaname::jobs {

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
    /// Returns the warnings of all parts, each once.
    [[nodiscard]] std::vector<std::string> warnings() const override;

    /// Returns the names of the faults in the whole mesh.
    [[nodiscard]] const std::vector<std::string>& fault_names() const { return names_; }

private:
    std::vector<std::unique_ptr<VolumePlan>> parts_;
    std::vector<std::string> names_;
};

}  // namespace kaname::jobs
