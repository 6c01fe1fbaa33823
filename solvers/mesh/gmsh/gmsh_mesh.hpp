// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/base/vec3.hpp"

namespace kaname::mesh {

/// Holds the tetrahedra and triangles of a Gmsh file (MSH 2.2 or 4.1, ASCII or binary). Points and
/// lines are passed over. Nodes are numbered in the order of the file.
///   xyz        [N]     coordinates as written
///   tets       [E][4]  corner nodes as written: either orientation
///   tet_group  [E]     tag of the physical volume, 0 where there is none
///   tet_mid    [E][6]  mid-edge nodes in the order of p2::kTet10Edges, -1 in first-order tets;
///                      empty when no tet has them
///   triangles  [T][3]  once for each physical surface that a triangle belongs to
///   triangle_group [T] tag of that surface; triangles without one are left out
struct GmshMesh {
    std::vector<Vec3> xyz;
    std::vector<std::array<std::int32_t, 4>> tets;
    std::vector<std::int32_t> tet_group;
    std::vector<std::array<std::int32_t, 6>> tet_mid;
    std::vector<std::array<std::int32_t, 3>> triangles;
    std::vector<std::int32_t> triangle_group;
    /// Names of the physical groups in use; a group without a name is called by its tag ("7").
    std::map<std::int32_t, std::string> volume_names;
    std::map<std::int32_t, std::string> surface_names;
};

/// The mesh in `bytes`; `name` begins every message. Sizes that the text states are checked against
/// its length before memory is taken, so that no input does worse than throw. Throws
/// InvalidArgument naming section and line (ASCII) or offset (binary) for anything that is no such
/// file, for other versions, partitions, parametric entities out of range, elements of other
/// shapes, elements with unknown nodes, and volumes that belong to two physical volumes.
[[nodiscard]] GmshMesh parse_gmsh(std::string_view bytes, const std::string& name);

/// Throws NotFound, or as parse_gmsh.
[[nodiscard]] GmshMesh read_gmsh(const std::string& path);

}  // namespace kaname::mesh
