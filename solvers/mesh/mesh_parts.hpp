// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::mesh {

/// Meshes of one model side by side in one: they share no vertex, though they fill the same space.
/// Problems on them are solved as one, and what is linear in them is summed at a place. `faults`
/// names the faults of the result, in its order. Throws InvalidArgument where there is no mesh, a
/// mesh has a fault that is not among them, or their surfaces or volumes differ.
[[nodiscard]] TetMesh joined(std::vector<TetMesh> meshes, std::vector<std::string> faults);

/// One of the pieces of a mesh that share no vertex, as a mesh.
struct MeshPart {
    TetMesh mesh;                   ///< vertices, tets, materials and faces of the outside alone
    std::vector<std::int32_t> tet;  ///< [E of the part] ids in the whole mesh
};
/// The pieces in the order of their first tets.
[[nodiscard]] std::vector<MeshPart> parts_of(const TetMesh& mesh);

}  // namespace kaname::mesh
