// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "solvers/mesh/tet_mesh.hpp"
#include "solvers/p2/tet10.hpp"

namespace kaname::p2 {

/// P2 node numbering of a whole mesh: vertices keep their ids 0..V-1, edges follow, sorted by
/// (smaller vertex, larger vertex).
struct DofMap {
    explicit DofMap(const mesh::TetMesh& mesh);

    std::vector<std::array<std::int32_t, kNodesPerTet10>> conn;  ///< [E][10]
    std::vector<Vec3> node_xyz;                                  ///< [N] m
    std::vector<std::array<std::int32_t, 2>> edges;              ///< [N - V] vertices of each edge
    std::vector<std::int32_t> first_edge;  ///< [V + 1] the edges that begin at each vertex
    std::int32_t n_vertices = 0;

    [[nodiscard]] std::int64_t n_nodes() const {
        return static_cast<std::int64_t>(node_xyz.size());
    }
    /// Node in the middle of the edge a-b; -1 when there is no such edge.
    [[nodiscard]] std::int32_t edge_node(std::int32_t a, std::int32_t b) const;
};

}  // namespace kaname::p2
