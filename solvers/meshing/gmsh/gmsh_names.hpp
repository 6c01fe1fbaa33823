// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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

}  // namespace kaname::meshing
