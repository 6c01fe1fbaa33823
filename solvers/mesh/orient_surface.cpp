// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/mesh/orient_surface.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "solvers/base/error.hpp"

namespace kaname::mesh {
namespace {

struct Edge {
    std::int32_t low, high;  ///< vertices
    std::int32_t triangle;
    bool upward;  ///< the triangle runs from low to high
};

std::string middle(const Edge& edge, std::span<const Vec3> xyz) {
    const Vec3 x = 0.5 * (xyz[edge.low] + xyz[edge.high]);
    char text[96];
    std::snprintf(text, sizeof text, "(%.3f, %.3f, %.3f) m", x.x, x.y, x.z);
    return text;
}

std::vector<Edge> sorted_edges(std::span<const std::array<std::int32_t, 3>> triangles) {
    std::vector<Edge> edges;
    edges.reserve(3 * triangles.size());
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        for (int k = 0; k < 3; ++k) {
            const std::int32_t a = triangles[t][k];
            const std::int32_t b = triangles[t][(k + 1) % 3];
            edges.push_back({std::min(a, b), std::max(a, b), static_cast<std::int32_t>(t), a < b});
        }
    }
    std::ranges::sort(edges, [](const Edge& a, const Edge& b) {
        return std::pair(a.low, a.high) < std::pair(b.low, b.high);
    });
    return edges;
}

bool same_edge(const Edge& a, const Edge& b) {
    return a.low == b.low && a.high == b.high;
}

}  // namespace

std::vector<std::int32_t> orient_surface(std::span<std::array<std::int32_t, 3>> triangles,
                                         std::span<const Vec3> xyz) {
    struct Link {
        std::int32_t to;
        bool turned;  ///< one of the two must be turned
        Edge across;
    };
    const std::vector<Edge> edges = sorted_edges(triangles);
    std::vector<std::vector<Link>> links(triangles.size());
    for (std::size_t first = 0, next = 0; first < edges.size(); first = next) {
        for (next = first + 1; next < edges.size() && same_edge(edges[first], edges[next]);) {
            ++next;
        }
        if (next - first > 2) {
            throw Error(ErrorCode::InvalidArgument,
                        std::to_string(next - first) + " triangles share the edge at " +
                            middle(edges[first], xyz) +
                            ", must be at most two: where a surface branches, make each branch a "
                            "physical surface of its own");
        }
        if (next - first == 2) {
            const Edge& a = edges[first];
            const Edge& b = edges[first + 1];
            links[a.triangle].push_back({b.triangle, a.upward == b.upward, a});
            links[b.triangle].push_back({a.triangle, a.upward == b.upward, a});
        }
    }
    std::vector<std::int32_t> piece(triangles.size(), -1);
    std::vector<bool> turned(triangles.size(), false);
    std::int32_t n_pieces = 0;
    for (std::size_t start = 0; start < triangles.size(); ++start) {
        if (piece[start] >= 0) {
            continue;
        }
        std::vector<std::int32_t> open = {static_cast<std::int32_t>(start)};
        piece[start] = n_pieces;
        while (!open.empty()) {
            const std::int32_t here = open.back();
            open.pop_back();
            for (const Link& link : links[here]) {
                const bool turn = turned[here] != link.turned;
                if (piece[link.to] < 0) {
                    piece[link.to] = n_pieces;
                    turned[link.to] = turn;
                    open.push_back(link.to);
                } else if (turned[link.to] != turn) {
                    throw Error(ErrorCode::InvalidArgument,
                                "the surface has only one side: it closes on itself turned over, "
                                "at " +
                                    middle(link.across, xyz));
                }
            }
        }
        ++n_pieces;
    }
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        if (turned[t]) {
            std::swap(triangles[t][1], triangles[t][2]);
        }
    }
    return piece;
}

}  // namespace kaname::mesh
