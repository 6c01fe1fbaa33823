// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::io {

/// HDF5: /xyz [V][3], /tets [E][4], /material [E], /fault_faces [F][3], /boundary_faces [B][3],
/// /fault_ids [F], /boundary_ids [B], /fault_names, /surface_names; attributes top and
/// format = "kaname-mesh-2". Atomic like the dataset. Files of format 1, which have /boundary_sides
/// [B] in place of ids and names, are read as boxes with one fault.
void write_mesh(const std::string& path, const mesh::TetMesh& mesh);
/// Throws NotFound, or InvalidArgument naming what is missing or truncated.
[[nodiscard]] mesh::TetMesh read_mesh(const std::string& path);
/// SHA-256 over the arrays' bytes, hex; independent of the file's layout.
[[nodiscard]] std::string mesh_sha256(const mesh::TetMesh& mesh);

}  // namespace kaname::io
