// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/local_mesh.hpp"

#include <algorithm>
#include <string>

#include "solvers/base/error.hpp"

namespace kaname::p2 {
namespace {

/// Nodes that elements of more than one part touch [N].
std::vector<std::uint8_t> shared_nodes(const DofMap& dofs, std::span<const std::int32_t> part) {
    std::vector<std::int32_t> first(dofs.n_nodes(), -1);
    std::vector<std::uint8_t> shared(dofs.n_nodes(), 0);
    for (std::size_t elem = 0; elem < dofs.conn.size(); ++elem) {
        for (const std::int32_t node : dofs.conn[elem]) {
            if (first[node] < 0) {
                first[node] = part[elem];
            } else if (first[node] != part[elem]) {
                shared[node] = 1;
            }
        }
    }
    return shared;
}

}  // namespace

LocalMesh::LocalMesh(const mesh::TetMesh& mesh, const DofMap& dofs,
                     std::span<const std::int32_t> part, comm::Comm& comm) {
    if (part.size() != mesh.tets.size()) {
        throw Error(ErrorCode::InvalidArgument,
                    "part must name a rank per tet: " + std::to_string(part.size()) + " for " +
                        std::to_string(mesh.tets.size()));
    }
    const std::vector<std::uint8_t> shared = shared_nodes(dofs, part);
    std::vector<Vec3> centroids(mesh.tets.size());
    std::vector<std::int32_t> boundary;
    std::vector<std::int32_t> interior;
    for (std::size_t elem = 0; elem < mesh.tets.size(); ++elem) {
        if (part[elem] != comm.rank()) {
            continue;
        }
        for (const std::int32_t v : mesh.tets[elem]) {
            centroids[elem] += 0.25 * mesh.xyz[v];
        }
        const bool at_boundary = std::any_of(dofs.conn[elem].begin(), dofs.conn[elem].end(),
                                             [&](std::int32_t node) { return shared[node] != 0; });
        (at_boundary ? boundary : interior).push_back(static_cast<std::int32_t>(elem));
    }
    const auto n_boundary = static_cast<std::int32_t>(boundary.size());
    tet = spatial_order(centroids, std::move(boundary));
    const auto rest = spatial_order(centroids, std::move(interior));
    tet.insert(tet.end(), rest.begin(), rest.end());

    std::vector<std::int32_t> local_node(dofs.n_nodes(), -1);
    std::vector<std::int32_t> local_vertex(dofs.n_vertices, -1);
    conn.resize(tet.size());
    conn_p1.resize(tet.size());
    material.resize(tet.size());
    for (std::size_t elem = 0; elem < tet.size(); ++elem) {
        material[elem] = mesh.material[tet[elem]];
        for (int k = 0; k < kNodesPerTet10; ++k) {
            const std::int32_t node = dofs.conn[tet[elem]][k];
            if (local_node[node] < 0) {
                local_node[node] = static_cast<std::int32_t>(node_gid.size());
                node_gid.push_back(node);
                node_xyz.push_back(dofs.node_xyz[node]);
            }
            conn[elem][k] = local_node[node];
            if (k < 4) {
                if (local_vertex[node] < 0) {
                    local_vertex[node] = static_cast<std::int32_t>(vertex_gid.size());
                    vertex_gid.push_back(node);
                    vertex_node.push_back(local_node[node]);
                }
                conn_p1[elem][k] = local_vertex[node];
            }
        }
    }
    mid_edges.reserve(node_gid.size() - vertex_gid.size());
    for (std::size_t node = 0; node < node_gid.size(); ++node) {
        if (node_gid[node] >= dofs.n_vertices) {
            const auto& edge = dofs.edges[node_gid[node] - dofs.n_vertices];
            mid_edges.push_back(
                {static_cast<std::int32_t>(node), local_vertex[edge[0]], local_vertex[edge[1]]});
        }
    }
    blocks = colour_blocks(conn, n_boundary, n_nodes());
    node_halo = comm::Halo(comm, node_gid);
    vertex_halo = comm::Halo(comm, vertex_gid);
}

}  // namespace kaname::p2
