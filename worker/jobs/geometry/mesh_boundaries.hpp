// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "solvers/lanes/lanes.hpp"
#include "solvers/p2/dof_map.hpp"
#include "solvers/viscoelastic/model/boundary.hpp"
#include "worker/jobs/geometry/job_geometry.hpp"

namespace kaname::jobs {

/// Which of the job's boundary sources drives each lane of the pack being solved; -1: none, its
/// sides are at rest and without load.
struct LaneDrive {
    std::array<int, lanes::kLanes> source = filled(-1);

private:
    static constexpr std::array<int, lanes::kLanes> filled(int value) {
        std::array<int, lanes::kLanes> lanes{};
        lanes.fill(value);
        return lanes;
    }
};

/// The job's conditions on the surfaces of its mesh. Their values are those of a step at t = 0, in
/// the lanes that `drive` (which outlives them) names. Where surfaces meet, prescribed displacement
/// stands before fixed, and the surface that comes later before the earlier one. Throws
/// ValidationError naming a surface that the mesh does not have, a roller surface that does not
/// face a grid axis (coordinates), data on a component that a roller holds; and as SideValues.
[[nodiscard]] std::vector<viscoelastic::BoundaryCondition> boundary_conditions(
    const GreensJob& job, const JobGeometry& geometry, const mesh::TetMesh& mesh,
    const p2::DofMap& dofs, const LaneDrive& drive);

/// Checks the data on the sides of a box before there is a mesh. Tables must cover their sides, and
/// data must not be given on a component that a roller holds.
void check_side_data(const GreensJob& job, const JobGeometry& geometry,
                     std::vector<Violation>& violations);

}  // namespace kaname::jobs
