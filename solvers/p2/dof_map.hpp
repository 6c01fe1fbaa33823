// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::p2 {

/// Ten-node tetrahedron: vertices 0..3, then mid-edge nodes 4..9 in the order of kTet10Edges (the
/// order of VTK; Gmsh swaps the last two).
inline constexpr int kNodesPerTet10 = 10;
inline constexpr auto kTet10Edges = mesh::kTetEdges;

/// Node of the edge between two different vertices.
inline constexpr std::array<std::array<int, 4>, 4> kMidNode = {
    {{-1, 4, 6, 7}, {4, -1, 5, 8}, {6, 5, -1, 9}, {7, 8, 9, -1}}};

using mesh::kTetFaces;

/// The six nodes of a face: three vertices, then mid-edges (v0,v1), (v1,v2), (v2,v0).
constexpr std::array<int, 6> face_nodes(int face) {
    const auto& v = kTetFaces[face];
    return {v[0], v[1], v[2], kMidNode[v[0]][v[1]], kMidNode[v[1]][v[2]], kMidNode[v[2]][v[0]]};
}

/// P2 shape functions at barycentric coordinates L (sum 1).
inline std::array<double, kNodesPerTet10> shape_tet10(const std::array<double, 4>& L) {
    std::array<double, kNodesPerTet10> value;
    for (int v = 0; v < 4; ++v) {
        value[v] = L[v] * (2.0 * L[v] - 1.0);
    }
    for (int e = 0; e < 6; ++e) {
        value[4 + e] = 4.0 * L[kTet10Edges[e][0]] * L[kTet10Edges[e][1]];
    }
    return value;
}

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

/// Elements grouped into blocks of neighbours, blocks grouped into colours: two blocks of one
/// colour share no node, so threads may scatter into the nodes of one colour's blocks without
/// atomics, and the order of additions does not depend on the number of threads.
struct ElementBlocks {
    /// Multiple of every SIMD element group, small enough for a block's nodes to stay in L1.
    static constexpr int kBlockSize = 64;

    struct Block {
        std::int32_t begin;
        std::int32_t end;
    };
    std::vector<std::vector<Block>> colours;
    int n_boundary_colours = 0;  ///< colours before this one hold the elements at shared nodes
};

/// Order of the elements by recursive bisection of their centroids, in runs of kBlockSize.
[[nodiscard]] std::vector<std::int32_t> spatial_order(std::span<const Vec3> centroids,
                                                      std::vector<std::int32_t> elements);

/// Blocks of `size` consecutive elements; the first n_boundary elements are coloured on their own.
[[nodiscard]] ElementBlocks colour_blocks(
    std::span<const std::array<std::int32_t, kNodesPerTet10>> conn, std::int32_t n_boundary,
    std::int32_t n_nodes, std::int32_t size = ElementBlocks::kBlockSize);

/// Elements of a block for a CPU's operator: the more in one block, the fewer nodes lie in several,
/// and the less often each passes the caches; a block's data take half a megabyte at most. Some
/// blocks of kBlockSize; it depends on the mesh alone, as the order of additions does,
/// and at least 256 blocks are left for threads to share.
[[nodiscard]] std::int32_t chunk_size(std::int64_t n_elements);

}  // namespace kaname::p2
