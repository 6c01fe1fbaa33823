// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/mesh/face_set.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::mesh {
namespace {

/// Keys in rows, each row sorted: row r is keys[first[r] .. first[r + 1]).
template <class Key>
struct Rows {
    std::vector<std::int64_t> first;
    std::vector<Key> keys;
};

/// `visit(tet, add)` calls add(row, key) for what a tet has; the same every time.
template <class Key, class Visit>
Rows<Key> sorted_rows(const TetMesh& mesh, const Visit& visit) {
    Rows<Key> rows;
    rows.first.assign(mesh.xyz.size() + 1, 0);
    for (const auto& tet : mesh.tets) {
        visit(tet, [&](std::int32_t row, Key) { ++rows.first[row + 1]; });
    }
    for (std::size_t row = 0; row < mesh.xyz.size(); ++row) {
        rows.first[row + 1] += rows.first[row];
    }
    rows.keys.resize(static_cast<std::size_t>(rows.first.back()));
    std::vector<std::int64_t> next(rows.first.begin(), rows.first.end() - 1);
    for (const auto& tet : mesh.tets) {
        visit(tet, [&](std::int32_t row, Key key) { rows.keys[next[row]++] = key; });
    }
    const std::int64_t n = std::ssize(mesh.xyz);
#pragma omp parallel for schedule(dynamic, 1024)
    for (std::int64_t row = 0; row < n; ++row) {
        std::sort(rows.keys.begin() + rows.first[row], rows.keys.begin() + rows.first[row + 1]);
    }
    return rows;
}

/// Sorts three vertices; true when that was an odd permutation.
bool sort_vertices(FaceSet::Vertices& v) {
    bool odd = false;
    const auto order = [&](int a, int b) {
        if (v[b] < v[a]) {
            std::swap(v[a], v[b]);
            odd = !odd;
        }
    };
    order(0, 1);
    order(1, 2);
    order(0, 1);
    return odd;
}

std::uint64_t key_of(const FaceSet::Vertices& sorted) {
    return static_cast<std::uint64_t>(sorted[1]) << 32U | static_cast<std::uint32_t>(sorted[2]);
}

}  // namespace

FaceSet::FaceSet(const TetMesh& mesh) {
    // The side of a tet rides in the lowest bit of its key: vertex ids have 31.
    const auto rows = sorted_rows<std::uint64_t>(mesh, [](const auto& tet, const auto& add) {
        for (const auto& f : kTetFaces) {
            Vertices v = {tet[f[0]], tet[f[1]], tet[f[2]]};
            const bool odd = sort_vertices(v);
            add(v[0], key_of(v) << 1U | (odd ? 1U : 0U));
        }
    });
    first_.assign(mesh.xyz.size() + 1, 0);
    const std::size_t most = rows.keys.size() / 2 + mesh.boundary_faces.size() / 2 + 1;
    keys_.reserve(most);
    left_.reserve(most);
    right_.reserve(most);
    for (std::size_t row = 0; row < mesh.xyz.size(); ++row) {
        for (std::int64_t k = rows.first[row]; k < rows.first[row + 1]; ++k) {
            const std::uint64_t key = rows.keys[k] >> 1U;
            if (k == rows.first[row] || key != keys_.back()) {
                keys_.push_back(key);
                left_.push_back(0);
                right_.push_back(0);
            }
            std::uint8_t& count = (rows.keys[k] & 1U) != 0 ? right_.back() : left_.back();
            count = static_cast<std::uint8_t>(
                std::min<int>(count + 1, std::numeric_limits<std::uint8_t>::max()));
        }
        first_[row + 1] = std::ssize(keys_);
    }
}

std::int64_t FaceSet::find(Vertices vertices) const {
    sort_vertices(vertices);
    const auto begin = keys_.begin() + first_[vertices[0]];
    const auto end = keys_.begin() + first_[vertices[0] + 1];
    const auto found = std::lower_bound(begin, end, key_of(vertices));
    return found != end && *found == key_of(vertices) ? found - keys_.begin() : -1;
}

FaceSet::Vertices FaceSet::vertices(std::int64_t face) const {
    const auto row = std::upper_bound(first_.begin(), first_.end(), face) - first_.begin() - 1;
    return {static_cast<std::int32_t>(row), static_cast<std::int32_t>(keys_[face] >> 32U),
            static_cast<std::int32_t>(keys_[face] & 0xFFFFFFFFU)};
}

FaceSet::Vertices FaceSet::outward(std::int64_t face) const {
    const auto [a, b, c] = vertices(face);
    return right_[face] == 0 ? Vertices{a, b, c} : Vertices{a, c, b};
}

std::int64_t count_edges(const TetMesh& mesh) {
    const auto rows = sorted_rows<std::int32_t>(mesh, [](const auto& tet, const auto& add) {
        for (const auto& [a, b] : kTetEdges) {
            add(std::min(tet[a], tet[b]), std::max(tet[a], tet[b]));
        }
    });
    const std::int64_t n = std::ssize(mesh.xyz);
    std::int64_t edges = 0;
#pragma omp parallel for schedule(static) reduction(+ : edges)
    for (std::int64_t row = 0; row < n; ++row) {
        for (std::int64_t k = rows.first[row]; k < rows.first[row + 1]; ++k) {
            edges += k == rows.first[row] || rows.keys[k] != rows.keys[k - 1] ? 1 : 0;
        }
    }
    return edges;
}

namespace {

constexpr double kLeastPart = 50.0;

}  // namespace

FacePieces find_pieces(std::span<const std::array<std::int32_t, 3>> faces,
                       std::span<const double> size) {
    std::vector<std::int32_t> parent(faces.size());
    std::iota(parent.begin(), parent.end(), 0);
    const auto root = [&](std::int32_t f) {
        while (parent[f] != f) {
            f = parent[f] = parent[parent[f]];
        }
        return f;
    };
    std::vector<std::pair<std::pair<std::int32_t, std::int32_t>, std::int32_t>> edges;
    for (std::size_t f = 0; f < faces.size(); ++f) {
        for (int k = 0; k < 3; ++k) {
            edges.emplace_back(std::minmax(faces[f][k], faces[f][(k + 1) % 3]),
                               static_cast<std::int32_t>(f));
        }
    }
    std::ranges::sort(edges);
    for (std::size_t e = 1; e < edges.size(); ++e) {
        if (edges[e].first == edges[e - 1].first) {
            parent[root(edges[e].second)] = root(edges[e - 1].second);
        }
    }
    FacePieces pieces{std::vector<std::int32_t>(faces.size()),
                      std::vector<bool>(faces.size(), false)};
    std::vector<double> of_piece(faces.size(), 0.0);
    for (std::size_t f = 0; f < faces.size(); ++f) {
        pieces.of[f] = root(static_cast<std::int32_t>(f));
        of_piece[pieces.of[f]] += size[f];
    }
    const double largest = faces.empty() ? 0.0 : std::ranges::max(of_piece);
    for (std::size_t f = 0; f < faces.size(); ++f) {
        pieces.stray[f] = kLeastPart * of_piece[pieces.of[f]] < largest;
    }
    return pieces;
}

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
