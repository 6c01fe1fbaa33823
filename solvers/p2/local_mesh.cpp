// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/local_mesh.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/parallel/loops.hpp"

namespace kaname::p2 {
namespace {

/// value = min(value, other), whichever thread comes first.
void lower(std::int64_t& value, std::int64_t other) {
    const std::atomic_ref shared(value);
    std::int64_t seen = shared.load(std::memory_order_relaxed);
    while (other < seen && !shared.compare_exchange_weak(seen, other, std::memory_order_relaxed)) {
    }
}

/// Nodes that elements of more than one part touch [N].
std::vector<std::uint8_t> shared_nodes(const DofMap& dofs, std::span<const std::int32_t> part) {
    // Whichever part is written last: those of the others' elements differ from it.
    std::vector<std::int32_t> some(dofs.n_nodes(), -1);
    std::vector<std::uint8_t> shared(dofs.n_nodes(), 0);
    const std::int64_t n = std::ssize(dofs.conn);
    parallel_for(n, [&](std::int64_t elem) {
        for (const std::int32_t node : dofs.conn[elem]) {
            std::atomic_ref(some[node]).store(part[elem], std::memory_order_relaxed);
        }
    });
    parallel_for(n, [&](std::int64_t elem) {
        for (const std::int32_t node : dofs.conn[elem]) {
            if (some[node] != part[elem]) {
                std::atomic_ref(shared[node]).store(1, std::memory_order_relaxed);
            }
        }
    });
    return shared;
}

/// Local numbers [N] of the nodes that n elements name, by first touch, and the nodes' global ones.
template <class Named>
std::vector<std::int32_t> number_by_touch(std::int64_t n, std::int64_t n_nodes, const Named& named,
                                          std::vector<std::int64_t>& gid) {
    constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
    std::vector<std::int64_t> first(n_nodes, kNever);  // place that names it first
    parallel_for(n, [&](std::int64_t elem) {
        const auto& nodes = named(elem);
        for (int k = 0; k < kNodesPerTet10; ++k) {
            lower(first[nodes[k]], elem * kNodesPerTet10 + k);
        }
    });
    const auto for_each_new = [&](std::int64_t begin, std::int64_t end, const auto& visit) {
        for (std::int64_t elem = begin; elem < end; ++elem) {
            const auto& nodes = named(elem);
            for (int k = 0; k < kNodesPerTet10; ++k) {
                if (first[nodes[k]] == elem * kNodesPerTet10 + k) {
                    visit(nodes[k]);
                }
            }
        }
    };
    std::vector<std::int32_t> before((n + kRange - 1) / kRange);
    parallel_ranges(n, kRange, [&](std::int64_t begin, std::int64_t end) {
        for_each_new(begin, end, [&](std::int32_t) { ++before[begin / kRange]; });
    });
    gid.resize(exclusive_sum(std::span(before)));
    std::vector<std::int32_t> local(n_nodes, -1);
    parallel_ranges(n, kRange, [&](std::int64_t begin, std::int64_t end) {
        std::int32_t next = before[begin / kRange];
        for_each_new(begin, end, [&](std::int32_t node) {
            gid[next] = node;
            local[node] = next++;
        });
    });
    return local;
}

}  // namespace

LocalMesh::LocalMesh(const mesh::TetMesh& mesh, const DofMap& dofs,
                     std::span<const std::int32_t> part, comm::Comm& comm) {
    if (part.size() != mesh.tets.size()) {
        throw Error(ErrorCode::InvalidArgument,
                    "part must name a rank per tet: " + std::to_string(part.size()) + " for " +
                        std::to_string(mesh.tets.size()));
    }
    std::vector<std::uint8_t> shared;
    if (comm.size() > 1) {
        shared = shared_nodes(dofs, part);
    }
    std::vector<Vec3> centroids(mesh.tets.size());
    parallel_for(std::ssize(mesh.tets), [&](std::int64_t elem) {
        for (const std::int32_t v : mesh.tets[elem]) {
            centroids[elem] += 0.25 * mesh.xyz[v];
        }
    });
    std::vector<std::int32_t> boundary;
    std::vector<std::int32_t> interior;
    for (std::size_t elem = 0; elem < mesh.tets.size(); ++elem) {
        if (part[elem] != comm.rank()) {
            continue;
        }
        const bool at_boundary =
            !shared.empty() && std::any_of(dofs.conn[elem].begin(), dofs.conn[elem].end(),
                                           [&](std::int32_t node) { return shared[node] != 0; });
        (at_boundary ? boundary : interior).push_back(static_cast<std::int32_t>(elem));
    }
    const auto n_boundary = static_cast<std::int32_t>(boundary.size());
    tet = spatial_order(centroids, std::move(boundary));
    const auto rest = spatial_order(centroids, std::move(interior));
    tet.insert(tet.end(), rest.begin(), rest.end());

    const std::int64_t n = std::ssize(tet);
    const std::vector<std::int32_t> local_node = number_by_touch(
        n, dofs.n_nodes(), [&](std::int64_t elem) -> auto& { return dofs.conn[tet[elem]]; },
        node_gid);
    node_xyz.resize(node_gid.size());
    parallel_for(std::ssize(node_gid),
                 [&](std::int64_t node) { node_xyz[node] = dofs.node_xyz[node_gid[node]]; });

    // Vertices keep the order of their nodes; the other nodes are on edges.
    std::vector<std::int32_t> vertices(std::ssize(node_gid) / kRange + 1);
    const auto is_vertex = [&](std::int64_t node) { return node_gid[node] < dofs.n_vertices; };
    parallel_ranges(std::ssize(node_gid), kRange, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t node = begin; node < end; ++node) {
            vertices[begin / kRange] += is_vertex(node) ? 1 : 0;
        }
    });
    vertex_node.resize(exclusive_sum(std::span(vertices)));
    vertex_gid.resize(vertex_node.size());
    mid_edges.resize(node_gid.size() - vertex_node.size());
    std::vector<std::int32_t> vertex_of(node_gid.size(), -1);
    parallel_ranges(std::ssize(node_gid), kRange, [&](std::int64_t begin, std::int64_t end) {
        std::int32_t vertex = vertices[begin / kRange];
        for (std::int64_t node = begin; node < end; ++node) {
            if (is_vertex(node)) {
                vertex_of[node] = vertex;
                vertex_gid[vertex] = node_gid[node];
                vertex_node[vertex++] = static_cast<std::int32_t>(node);
            } else {
                mid_edges[node - vertex].node = static_cast<std::int32_t>(node);
            }
        }
    });
    parallel_for(std::ssize(mid_edges), [&](std::int64_t k) {
        const auto& ends = dofs.edges[node_gid[mid_edges[k].node] - dofs.n_vertices];
        mid_edges[k].v0 = vertex_of[local_node[ends[0]]];
        mid_edges[k].v1 = vertex_of[local_node[ends[1]]];
    });
    conn.resize(n);
    conn_p1.resize(n);
    material.resize(n);
    parallel_for(n, [&](std::int64_t elem) {
        material[elem] = mesh.material[tet[elem]];
        for (int k = 0; k < kNodesPerTet10; ++k) {
            conn[elem][k] = local_node[dofs.conn[tet[elem]][k]];
        }
        for (int k = 0; k < 4; ++k) {
            conn_p1[elem][k] = vertex_of[conn[elem][k]];
        }
    });
    blocks = colour_blocks(conn, n_boundary, n_nodes());
    node_halo = comm::Halo(comm, node_gid);
    vertex_halo = comm::Halo(comm, vertex_gid);
}

}  // namespace kaname::p2
