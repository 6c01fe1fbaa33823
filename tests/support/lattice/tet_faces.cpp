// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/lattice/tet_faces.hpp"

#include "solvers/p2/dof_map.hpp"

namespace kaname::meshing {

void collect_faces(mesh::TetMesh& mesh, std::span<const VertexMask> mask,
                   const std::function<bool(std::int32_t opposite)>& is_plus) {
    for (const auto& tet : mesh.tets) {
        int marked = 0;
        for (const std::int32_t vertex : tet) {
            marked += mask[vertex] != 0 ? 1 : 0;
        }
        if (marked < 3) {
            continue;
        }
        for (int face = 0; face < 4; ++face) {
            const std::int32_t v0 = tet[p2::kTetFaces[face][0]];
            const std::int32_t v1 = tet[p2::kTetFaces[face][1]];
            const std::int32_t v2 = tet[p2::kTetFaces[face][2]];
            const VertexMask shared = mask[v0] & mask[v1] & mask[v2];
            for (int side = 0; side < mesh::kSideCount; ++side) {
                if ((shared & (1u << side)) != 0) {
                    mesh.boundary_faces.push_back({{v0, v1, v2}, static_cast<mesh::Side>(side)});
                }
            }
            if ((shared & kOnFault) != 0 && is_plus(tet[face])) {
                mesh.fault_faces.push_back({{v0, v2, v1}});
            }
        }
    }
}

}  // namespace kaname::meshing
