// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "solvers/registry/setup.hpp"
#include "solvers/viscoelastic/boundary.hpp"

namespace kaname::registry {

/// The job's conditions on the surfaces of its mesh. Throws ValidationError naming a surface that
/// the mesh does not have, and a roller surface that does not face a grid axis (coordinates).
[[nodiscard]] std::vector<viscoelastic::BoundaryCondition> boundary_conditions(
    const GreensJob& job, const Setup& setup, const mesh::TetMesh& mesh);

}  // namespace kaname::registry
