// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::bench {

/// The first, elastic solve of the default method on a mesh: four sources of slip that is largest
/// at one place of its fault each, in one material everywhere, so that the mesh alone tells.
struct FirstSolve {
    int iterations = 0;  ///< iterations of the lane that needs most
    double seconds = 0.0;
    std::int64_t dof = 0;
};
[[nodiscard]] FirstSolve solve_first(const mesh::TetMesh& mesh);

/// A sheared lattice about a plane fault with about as many tets, within 10 %.
[[nodiscard]] mesh::TetMesh lattice_with(std::int64_t tets);

}  // namespace kaname::bench
