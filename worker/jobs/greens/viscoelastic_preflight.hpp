// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::jobs {

/// A box of cubes, each cut into six tetrahedra, of one material and without a fault, on which the
/// speed of a machine is measured. Beyond the second-level cache: 24,000 tets, 106,000 unknowns.
[[nodiscard]] mesh::TetMesh calibration_mesh();

}  // namespace kaname::jobs
