// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/dof_map.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "solvers/base/error.hpp"
#include "solvers/parallel/incidence.hpp"
#include "solvers/parallel/loops.hpp"

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

namespace {

/// An element with its centroid beside it: bisection moves both.
struct Member {
    Vec3 centroid;
    std::int32_t elem;
};

int longest_axis(std::span<const Member> members) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    Vec3 low{inf, inf, inf};
    Vec3 high{-inf, -inf, -inf};
    for (const Member& member : members) {
        for (int comp = 0; comp < 3; ++comp) {
            low[comp] = std::min(low[comp], member.centroid[comp]);
            high[comp] = std::max(high[comp], member.centroid[comp]);
        }
    }
    int axis = 0;
    for (int comp = 1; comp < 3; ++comp) {
        if (high[comp] - low[comp] > high[axis] - low[axis]) {
            axis = comp;
        }
    }
    return axis;
}

/// The halves are sets that ties cannot change, so threads may take them in any order.
void bisect(std::span<Member> members) {
    [[maybe_unused]] constexpr std::size_t kWorthATask = 4096;  // without OpenMP
    const std::size_t n = members.size();
    if (n <= ElementBlocks::kBlockSize) {
        std::ranges::sort(members, {}, &Member::elem);
        return;
    }
    // The left half is a whole number of blocks, so that only the last block is short.
    const std::size_t blocks = (n + ElementBlocks::kBlockSize - 1) / ElementBlocks::kBlockSize;
    const std::size_t left = blocks / 2 * ElementBlocks::kBlockSize;
    const int axis = longest_axis(members);
    std::nth_element(members.begin(), members.begin() + static_cast<std::ptrdiff_t>(left),
                     members.end(), [axis](const Member& a, const Member& b) {
                         const double xa = a.centroid[axis];
                         const double xb = b.centroid[axis];
                         return xa < xb || (xa == xb && a.elem < b.elem);
                     });
#pragma omp task if (n > kWorthATask)
    bisect(members.first(left));
    bisect(members.subspan(left));
}

void colour_range(std::span<const std::array<std::int32_t, kNodesPerTet10>> conn,
                  std::int32_t begin, std::int32_t end, std::int32_t n_nodes, std::int32_t size,
                  std::vector<std::vector<ElementBlocks::Block>>& colours) {
    std::vector<std::uint64_t> used(n_nodes, 0);  // bit c: a block of colour c holds the node
    const std::size_t first = colours.size();
    for (std::int32_t start = begin; start < end; start += size) {
        const std::int32_t stop = std::min(start + size, end);
        std::uint64_t taken = 0;
        for (std::int32_t elem = start; elem < stop; ++elem) {
            for (const std::int32_t node : conn[elem]) {
                taken |= used[node];
            }
        }
        const int colour = std::countr_one(taken);
        if (colour == 64) {
            throw Error(ErrorCode::Internal, "more than 64 colours of element blocks are needed");
        }
        for (std::int32_t elem = start; elem < stop; ++elem) {
            for (const std::int32_t node : conn[elem]) {
                used[node] |= std::uint64_t{1} << colour;
            }
        }
        if (first + colour == colours.size()) {
            colours.emplace_back();
        }
        colours[first + colour].push_back({start, stop});
    }
}

}  // namespace

std::vector<std::int32_t> spatial_order(std::span<const Vec3> centroids,
                                        std::vector<std::int32_t> elements) {
    const std::int64_t n = std::ssize(elements);
    std::vector<Member> members(n);
    parallel_for(n, [&](std::int64_t k) { members[k] = {centroids[elements[k]], elements[k]}; });
#pragma omp parallel
#pragma omp single
    bisect(members);
    parallel_for(n, [&](std::int64_t k) { elements[k] = members[k].elem; });
    return elements;
}

ElementBlocks colour_blocks(std::span<const std::array<std::int32_t, kNodesPerTet10>> conn,
                            std::int32_t n_boundary, std::int32_t n_nodes, std::int32_t size) {
    ElementBlocks blocks;
    colour_range(conn, 0, n_boundary, n_nodes, size, blocks.colours);
    blocks.n_boundary_colours = static_cast<int>(blocks.colours.size());
    colour_range(conn, n_boundary, static_cast<std::int32_t>(conn.size()), n_nodes, size,
                 blocks.colours);
    return blocks;
}

std::int32_t chunk_size(std::int64_t n_elements) {
    constexpr std::int64_t kFewest = 256;
    constexpr std::int32_t kLargest = 16 * ElementBlocks::kBlockSize;
    std::int32_t size = ElementBlocks::kBlockSize;
    while (size < kLargest && n_elements >= 2 * size * kFewest) {
        size *= 2;
    }
    return size;
}

}  // namespace kaname::p2
