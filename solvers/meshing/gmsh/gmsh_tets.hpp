// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "solvers/mesh/gmsh/gmsh_mesh.hpp"
#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::meshing {

/// "(x, y, z) m"
[[nodiscard]] std::string place_text(const Vec3& x);

/// Straight tets of positive volume with the vertices that they use; materials by physical volume.
/// `vertex` [nodes of the file] becomes the id of a node in the mesh, -1 where no tet has it as a
/// corner. Throws InvalidArgument naming the place of a tet without a physical volume or of a
/// curved edge (kMostBend); notes how many edges were straightened.
[[nodiscard]] mesh::TetMesh straight_tets(const mesh::GmshMesh& file,
                                          const std::map<std::int32_t, std::int32_t>& material,
                                          std::vector<std::int32_t>& vertex,
                                          std::vector<std::string>& notes);

}  // namespace kaname::meshing
