// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/fault_faces.hpp"

#include <numeric>

namespace kaname::cleaving {

std::vector<Triangle> faces_between_sides(const Complex& complex, int fault) {
    const std::uint64_t plus = Labels::plus(fault), minus = Labels::minus(fault);
    const auto take = [&](const Triangle& face, std::size_t t) {
        const std::uint64_t sides = complex.tet_labels[t].sides & (plus | minus);
        return (sides == plus || sides == minus) && std::ranges::all_of(face, [&](std::int32_t v) {
                   return (complex.labels[v].sides & (plus | minus)) == (plus | minus);
               });
    };
    const std::vector<Face> found = collect_faces(complex.tets, take);
    std::vector<Triangle> between;
    for (std::size_t k = 0; k + 1 < found.size(); ++k) {
        if (found[k].key != found[k + 1].key) {
            continue;
        }
        const bool first_plus = (complex.tet_labels[found[k].tet].sides & plus) != 0;
        const bool second_plus = (complex.tet_labels[found[k + 1].tet].sides & plus) != 0;
        if (first_plus != second_plus) {
            // The normal of the minus side's face points out of it, to the plus side.
            between.push_back(found[first_plus ? k + 1 : k].outward);
        }
        ++k;
    }
    return between;
}

std::vector<std::int32_t> find_strays(const std::vector<Triangle>& faces,
                                      const std::vector<double>& size) {
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
    constexpr double kLeastPart = 50.0;
    std::vector<double> of_piece(faces.size(), 0.0);
    for (std::size_t f = 0; f < faces.size(); ++f) {
        of_piece[root(static_cast<std::int32_t>(f))] += size[f];
    }
    const double largest = of_piece.empty() ? 0.0 : std::ranges::max(of_piece);
    std::vector<std::int32_t> stray(faces.size(), -1);
    for (std::size_t f = 0; f < faces.size(); ++f) {
        const std::int32_t piece = root(static_cast<std::int32_t>(f));
        if (kLeastPart * of_piece[piece] < largest) {
            stray[f] = piece;
        }
    }
    return stray;
}

}  // namespace kaname::cleaving
