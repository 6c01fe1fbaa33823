// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::io {

/// GmshVolumes tells whether Gmsh's physical volumes stand for the materials or the volumes of a
/// mesh.
enum class GmshVolumes { Materials, Volumes };

/// Gmsh MSH 4.1, binary. One entity for each pair of volume and material that has tets; its
/// physical volume has the name of its material (or of its volume, which the mesh must know). A
/// physical surface for each boundary surface and each fault that has faces, with their names;
/// fault faces keep their normal to the plus side. Vertices keep their order and tets theirs within
/// an entity: read back with meshing::import_gmsh it is the same mesh.
///   materials  names, TetMesh::material counts in them
/// Throws InvalidArgument naming the group when a material has no name or two groups that are to
/// differ have one name, Unavailable when the file cannot be written. Atomic, as are the others.
void write_gmsh41(const std::string& path, const mesh::TetMesh& mesh,
                  std::span<const std::string> materials,
                  GmshVolumes volumes = GmshVolumes::Materials);

/// VTK's XML for unstructured grids (ParaView opens it), arrays appended as raw bytes.
///   x.vtu        tets; per cell material, volume (where known), min_dihedral_deg
///   x_faces.vtu  boundary and fault faces; per cell surface and fault, -1 where it is none
/// The field data have the names of these numbers: material.crust is that of crust. Returns the
/// paths written. Errors as above; `path` must end in .vtu.
std::vector<std::string> write_vtu(const std::string& path, const mesh::TetMesh& mesh,
                                   std::span<const std::string> materials);

/// For a mesh file x.h5: x.xdmf beside it, for ParaView's "XDMF Reader". It names the file's arrays
/// relative to itself and holds none: a grid of the tets with material and volume, one of the
/// boundary faces with surface, and one of the fault faces with fault (where there are any).
/// Returns the path written. Throws as read_mesh.
std::string write_mesh_xdmf(const std::string& mesh_path);

}  // namespace kaname::io
