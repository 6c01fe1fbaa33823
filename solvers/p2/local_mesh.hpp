// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "solvers/comm/halo.hpp"
#include "solvers/mesh/tet_mesh.hpp"
#include "solvers/p2/dof_map.hpp"

namespace kaname::p2 {

/// One rank's elements and all their nodes (non-overlapping element partition: nodes between parts
/// exist on every rank that touches them). Elements at shared nodes come first, so that their sums
/// can travel while the interior is computed; within each group they are in spatial order, and
/// nodes are numbered by first touch.
struct LocalMesh {
    /// Collective. The whole mesh is known on every rank; `part` [E] names the rank of each tet.
    LocalMesh(const mesh::TetMesh& mesh, const DofMap& dofs, std::span<const std::int32_t> part,
              comm::Comm& comm);

    std::vector<std::int32_t> tet;                               ///< [El] id in the whole mesh
    std::vector<std::array<std::int32_t, kNodesPerTet10>> conn;  ///< [El][10] local nodes
    std::vector<std::array<std::int32_t, 4>> conn_p1;            ///< [El][4] local vertices
    std::vector<std::int32_t> material;                          ///< [El]
    std::vector<Vec3> node_xyz;                                  ///< [Nl] m
    std::vector<std::int64_t> node_gid;                          ///< [Nl] DofMap node
    std::vector<std::int32_t> vertex_node;                       ///< [Vl] node of each vertex
    std::vector<std::int64_t> vertex_gid;                        ///< [Vl]
    struct MidEdge {
        std::int32_t node;
        std::int32_t v0;
        std::int32_t v1;
    };
    std::vector<MidEdge> mid_edges;  ///< the other nodes, with their edge's local vertices
    ElementBlocks blocks;
    comm::Halo node_halo;
    comm::Halo vertex_halo;

    [[nodiscard]] std::int32_t n_nodes() const {
        return static_cast<std::int32_t>(node_xyz.size());
    }
    [[nodiscard]] std::int32_t n_vertices() const {
        return static_cast<std::int32_t>(vertex_node.size());
    }
    [[nodiscard]] std::int32_t n_tets() const { return static_cast<std::int32_t>(tet.size()); }
};

}  // namespace kaname::p2
