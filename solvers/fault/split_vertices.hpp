// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "solvers/fault/split_nodes.hpp"
#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::fault {

/// The mesh cut open along its faults: a vertex that can slip is two points, so that a field given
/// at points jumps across the fault and is continuous elsewhere. The order follows from the mesh
/// alone: points 0..V-1 are the vertices (of split ones the minus side), the plus sides follow in
/// the order of vertices. Where faults meet there is a point for each set of plus sides.
struct SplitVertices {
    std::vector<std::int32_t> vertex;               ///< [P] vertex of each point
    std::vector<std::array<std::int32_t, 4>> tets;  ///< [E] points
};
[[nodiscard]] SplitVertices split_vertices(const mesh::TetMesh& mesh, const SplitNodes& split);

}  // namespace kaname::fault
