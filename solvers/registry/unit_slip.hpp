// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "solvers/fem/dof_map.hpp"
#include "solvers/registry/setup.hpp"
#include "solvers/sources/slip_projection.hpp"
#include "solvers/sources/split_nodes.hpp"

namespace kaname::registry {

/// Slip of a job's unit sources at the nodes of the fault: the projection of the patch's shape, and
/// of a lattice whose rim stands for the edges of one uniform patch, unit slip everywhere. On an
/// interface each node takes a walk down its section (hundreds of depths), so its fault coordinates
/// are found once for all sources.
class UnitSlip {
public:
    /// All is borrowed. A job whose slip comes from tables or slip models has no unit sources.
    UnitSlip(const Setup& setup, const mesh::TetMesh& mesh, const fem::DofMap& dofs,
             const sources::SplitNodes& split);

    /// How much one patch slips at every split node [split.split.size()] m. Throws InvalidArgument
    /// where it would slip at the buried rim by more than 1e-9.
    [[nodiscard]] std::vector<double> amount(const sources::Patch& patch) const;
    /// Slip of one source [split.split.size()] m. Throws as `amount` and UnitSource::in_surface.
    [[nodiscard]] std::vector<Vec3> of(const sources::UnitSource& source) const;

private:
    const Setup& setup_;
    const fem::DofMap& dofs_;
    const sources::SplitNodes& split_;
    std::vector<sources::FaultTriangle> triangles_;
    sources::SlipProjection projection_;
    std::vector<std::array<sources::FaultCoordinates, 6>>
        coordinates_;                                ///< of the triangles' nodes
    std::vector<Vec3> normal_;                       ///< [split] of the surface asked for
    std::vector<sources::FaultCoordinates> rim_at_;  ///< [rim]
};

}  // namespace kaname::registry
