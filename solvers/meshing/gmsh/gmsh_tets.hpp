// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "solvers/mesh/gmsh/gmsh_mesh.hpp"
#include "solvers/mesh/tet_mesh.hpp"
#include "solvers/meshing/gmsh/gmsh_import.hpp"

namespace kaname::meshing {

/// Groups of a file by their role: tags of physical groups.
struct GmshGroups {
    std::vector<std::vector<std::int32_t>> faults;  ///< [GmshRoles::faults]
    std::map<std::int32_t, std::int32_t> material;  ///< index of a physical volume's material
    std::vector<std::string> surfaces;              ///< names that are no faults, sorted
    std::map<std::int32_t, std::int32_t> surface;   ///< index of a physical surface in `surfaces`
    std::vector<bool> wanted;  ///< [surfaces] it is the top, or has a condition
    std::int32_t top = -1;
};

/// Throws ValidationError with every name of the roles that the file does not have, and every
/// physical volume without material, each with the names there are. Adds a note for a material
/// without volume.
[[nodiscard]] GmshGroups find_groups(const mesh::GmshMesh& file, const GmshRoles& roles,
                                     std::vector<std::string>& notes);

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
