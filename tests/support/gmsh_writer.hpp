// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::test {

struct GmshStyle {
    int version = 4;  ///< 2: 2.2, 4: 4.1
    bool binary = false;
    bool swapped = false;  ///< binary numbers in the other order of bytes
    bool second_order = false;
    /// Moves mid-edge nodes of second-order elements; stay in the middle when empty.
    std::function<Vec3(const Vec3&)> bend = {};
    int first_tag = 1, tag_step = 1;  ///< tags of the nodes
    bool turn_tets = false;           ///< every other tet with negative volume
    bool turn_triangles = false;      ///< every other triangle the other way round
};

/// The mesh in Gmsh's format: a physical volume per material, a physical surface per boundary
/// surface and per fault that has faces, with the names given there.
[[nodiscard]] std::string write_gmsh(const mesh::TetMesh& mesh,
                                     const std::vector<std::string>& materials,
                                     const GmshStyle& style);

}  // namespace kaname::test
