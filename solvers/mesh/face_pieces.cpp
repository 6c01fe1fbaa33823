// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/mesh/face_pieces.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kaname::mesh {
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

}  // namespace kaname::mesh
