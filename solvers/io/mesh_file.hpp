// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <vector>

#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::io {

/// Holds the names, report and moduli that a file may have beside the mesh itself.
struct MeshLabels {
    std::vector<std::string> materials;  ///< names that TetMesh::material counts in
    std::string report_text,
        report_json;  ///< report on the mesh when it was made, for people and programs
    /// Density [kg/m3], lambda and mu [Pa] of the materials, or nothing.
    std::vector<std::array<double, 3>> solids = {};
};

/// HDF5: /xyz [V][3], /tets [E][4], /material [E], /fault_faces [F][3], /boundary_faces [B][3],
/// /fault_ids [F], /boundary_ids [B], /fault_names, /surface_names; attributes top and
/// format = "kaname-mesh-2"; where the mesh knows its structure's volumes, /volume [E] and
/// /volume_names; from the labels /material_names, /report (text and JSON) and /solids [M][3].
/// Atomic like the dataset. Files of format 1, which have /boundary_sides [B] in place of ids and
/// names, are read as boxes with one fault. Every array is contiguous with one row per vertex,
/// element or face: any part of it is one hyperslab (h5::File::read_block), which costs a reader
/// that part of the file and nothing else. The solver's ranks read the whole mesh, each by itself:
/// all of them number its nodes, and a rank keeps only its part of what follows (p2::LocalMesh).
void write_mesh(const std::string& path, const mesh::TetMesh& mesh, const MeshLabels& labels = {});
/// Throws NotFound, or InvalidArgument naming what is missing or truncated.
[[nodiscard]] mesh::TetMesh read_mesh(const std::string& path);
/// The labels; empty where the file has none.
[[nodiscard]] MeshLabels read_mesh_labels(const std::string& path);
/// SHA-256 over the arrays' bytes, hex; independent of the file's layout, and of volumes: what is
/// computed on a mesh depends on its materials alone.
[[nodiscard]] std::string mesh_sha256(const mesh::TetMesh& mesh);

}  // namespace kaname::io
