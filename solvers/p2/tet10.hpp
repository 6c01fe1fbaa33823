// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "solvers/mesh/tet_topology.hpp"

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

}  // namespace kaname::p2
