// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::io {

/// HDF5: /xyz [V][3], /tets [E][4], /material [E], /fault_faces [F][3], /boundary_faces [B][3],
/// /boundary_sides [B]; attribute format = "kaname-mesh-1". Atomic like the dataset.
void write_mesh(const std::string& path, const mesh::TetMesh& mesh);
/// Throws NotFound, or InvalidArgument naming what is missing or truncated.
[[nodiscard]] mesh::TetMesh read_mesh(const std::string& path);
/// SHA-256 over the arrays' bytes, hex; independent of the file's layout.
[[nodiscard]] std::string mesh_sha256(const mesh::TetMesh& mesh);

}  // namespace kaname::io
