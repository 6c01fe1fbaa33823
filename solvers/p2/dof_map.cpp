// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/dof_map.hpp"

#include <algorithm>

namespace kaname::p2 {
namespace {

std::array<std::int32_t, 2> sorted(std::int32_t a, std::int32_t b) {
    return a < b ? std::array{a, b} : std::array{b, a};
}

}  // namespace

DofMap::DofMap(const mesh::TetMesh& mesh) : n_vertices(static_cast<int>(mesh.xyz.size())) {
    edges.reserve(mesh.tets.size() * 6);
    for (const auto& tet : mesh.tets) {
        for (const auto& edge : kTet10Edges) {
            edges.push_back(sorted(tet[edge[0]], tet[edge[1]]));
        }
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    edges.shrink_to_fit();

    node_xyz = mesh.xyz;
    node_xyz.reserve(mesh.xyz.size() + edges.size());
    for (const auto& edge : edges) {
        node_xyz.push_back(0.5 * (mesh.xyz[edge[0]] + mesh.xyz[edge[1]]));
    }
    conn.resize(mesh.tets.size());
    for (std::size_t elem = 0; elem < mesh.tets.size(); ++elem) {
        const auto& tet = mesh.tets[elem];
        std::copy(tet.begin(), tet.end(), conn[elem].begin());
        for (int e = 0; e < 6; ++e) {
            conn[elem][4 + e] = edge_node(tet[kTet10Edges[e][0]], tet[kTet10Edges[e][1]]);
        }
    }
}

std::int32_t DofMap::edge_node(std::int32_t a, std::int32_t b) const {
    const auto key = sorted(a, b);
    const auto found = std::lower_bound(edges.begin(), edges.end(), key);
    if (found == edges.end() || *found != key) {
        return -1;
    }
    return n_vertices + static_cast<std::int32_t>(found - edges.begin());
}

}  // namespace kaname::p2
