// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/plus_side.hpp"

#include <algorithm>
#include <map>

namespace kaname::fault {
namespace {

using Support = std::vector<std::int32_t>;

/// Vertices of the face, edge or vertex that a place lies on; all four inside an element.
Support support_of(const mesh::TetMesh& mesh, const p2::Location& place) {
    Support support;
    for (int k = 0; k < 4; ++k) {
        if (place.barycentric[k] > kOnFault) {
            support.push_back(mesh.tets[place.tet][k]);
        }
    }
    return support;
}

/// Plus sides less minus sides of a tet at the vertices of `support`.
int plus_of(const mesh::TetMesh& mesh, const SplitNodes& split, const Support& support,
            std::int32_t tet) {
    int plus = 0;
    for (const SplitElement& element : split.of_tet(tet)) {
        for (int k = 0; k < 4; ++k) {
            const bool held = std::ranges::find(support, mesh.tets[tet][k]) != support.end();
            plus += held ? element.side[k] : 0;
        }
    }
    return plus;
}

void move_to(const mesh::TetMesh& mesh, std::int32_t tet, p2::Location& place) {
    std::map<std::int32_t, double> weight;
    double sum = 0.0;
    for (int k = 0; k < 4; ++k) {
        if (place.barycentric[k] > kOnFault) {
            weight[mesh.tets[place.tet][k]] = place.barycentric[k];
            sum += place.barycentric[k];
        }
    }
    place.tet = tet;
    for (int k = 0; k < 4; ++k) {
        const auto found = weight.find(mesh.tets[tet][k]);
        place.barycentric[k] = found == weight.end() ? 0.0 : found->second / sum;
    }
}

}  // namespace

void to_plus_side(const mesh::TetMesh& mesh, const SplitNodes& split,
                  std::vector<p2::Location>& places) {
    for (p2::Location& place : places) {
        const Support support = place.tet < 0 ? Support{} : support_of(mesh, place);
        if (support.empty() || support.size() == 4 || split.of_tet(place.tet).empty()) {
            continue;
        }
        std::int32_t best = place.tet;
        int most = plus_of(mesh, split, support, best);
        std::int32_t last = -1;
        for (const SplitElement& element : split.elements) {
            const auto& tet = mesh.tets[element.tet];
            const bool holds =
                element.tet != last && std::ranges::all_of(support, [&](std::int32_t vertex) {
                    return std::ranges::find(tet, vertex) != tet.end();
                });
            last = element.tet;
            if (!holds) {
                continue;
            }
            const int plus = plus_of(mesh, split, support, element.tet);
            if (plus > most || (plus == most && element.tet < best)) {
                best = element.tet;
                most = plus;
            }
        }
        move_to(mesh, best, place);
    }
}

}  // namespace kaname::fault
