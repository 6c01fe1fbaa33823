// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/dof_map.hpp"

#include <algorithm>

#include "solvers/parallel/incidence.hpp"

namespace kaname::p2 {
namespace {

/// The larger ends of the edges that begin at vertex v, ascending.
void collect_ends(const mesh::TetMesh& mesh, const Incidence& at_vertex, std::int32_t v,
                  std::vector<std::int32_t>& ends) {
    ends.clear();
    for (const std::int32_t place : at_vertex.of(v)) {
        for (const std::int32_t other : mesh.tets[place / 4]) {
            // Few: a search from the end is faster than sorting every tet's.
            if (other > v && std::find(ends.rbegin(), ends.rend(), other) == ends.rend()) {
                ends.push_back(other);
            }
        }
    }
    std::sort(ends.begin(), ends.end());
}

}  // namespace

DofMap::DofMap(const mesh::TetMesh& mesh) : n_vertices(static_cast<int>(mesh.xyz.size())) {
    const std::int64_t n_tets = std::ssize(mesh.tets);
    {
        const Incidence at_vertex = incidence(4 * n_tets, n_vertices, [&](std::int64_t place) {
            return mesh.tets[place / 4][place % 4];
        });
        using Edges = std::vector<std::array<std::int32_t, 2>>;
        std::vector<Edges> of_range((n_vertices + kRange - 1) / kRange);
        first_edge.assign(n_vertices + 1, 0);
        parallel_ranges(n_vertices, kRange, [&](std::int64_t begin, std::int64_t end) {
            Edges& found = of_range[begin / kRange];
            found.reserve((end - begin) * 8);
            std::vector<std::int32_t> ends;
            for (auto v = static_cast<std::int32_t>(begin); v < end; ++v) {
                collect_ends(mesh, at_vertex, v, ends);
                first_edge[v] = static_cast<std::int32_t>(ends.size());
                for (const std::int32_t other : ends) {
                    found.push_back({v, other});
                }
            }
        });
        edges.resize(exclusive_sum(std::span(first_edge)));
        parallel_ranges(n_vertices, kRange, [&](std::int64_t begin, std::int64_t) {
            Edges& found = of_range[begin / kRange];
            std::copy(found.begin(), found.end(), edges.begin() + first_edge[begin]);
            Edges().swap(found);
        });
    }
    node_xyz.resize(mesh.xyz.size() + edges.size());
    parallel_for(n_nodes(), [&](std::int64_t node) {
        if (node < n_vertices) {
            node_xyz[node] = mesh.xyz[node];
        } else {
            const auto& edge = edges[node - n_vertices];
            node_xyz[node] = 0.5 * (mesh.xyz[edge[0]] + mesh.xyz[edge[1]]);
        }
    });
    conn.resize(n_tets);
    parallel_for(n_tets, [&](std::int64_t elem) {
        const auto& tet = mesh.tets[elem];
        std::copy(tet.begin(), tet.end(), conn[elem].begin());
        for (int e = 0; e < 6; ++e) {
            conn[elem][4 + e] = edge_node(tet[kTet10Edges[e][0]], tet[kTet10Edges[e][1]]);
        }
    });
}

std::int32_t DofMap::edge_node(std::int32_t a, std::int32_t b) const {
    const auto [from, to] = std::minmax(a, b);
    if (from < 0 || from >= n_vertices) {
        return -1;
    }
    // Edges that begin at one vertex are few.
    for (std::int32_t at = first_edge[from]; at < first_edge[from + 1]; ++at) {
        if (edges[at][1] == to) {
            return n_vertices + at;
        }
    }
    return -1;
}

}  // namespace kaname::p2
