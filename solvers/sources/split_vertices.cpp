// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/sources/split_vertices.hpp"

#include <numeric>
#include <unordered_map>

namespace kaname::sources {

SplitVertices split_vertices(const mesh::TetMesh& mesh, const SplitNodes& split) {
    SplitVertices cut;
    const auto n_vertices = static_cast<std::int32_t>(mesh.xyz.size());
    cut.vertex.resize(mesh.xyz.size());
    std::iota(cut.vertex.begin(), cut.vertex.end(), 0);
    std::unordered_map<std::int32_t, std::int32_t> plus_side;
    for (const std::int32_t node : split.split) {
        if (node < n_vertices) {  // middles of edges follow the vertices
            plus_side.emplace(node, static_cast<std::int32_t>(cut.vertex.size()));
            cut.vertex.push_back(node);
        }
    }
    cut.tets = mesh.tets;
    for (const SplitElement& element : split.elements) {
        for (int k = 0; k < 4; ++k) {
            if (element.side[k] > 0) {
                std::int32_t& point = cut.tets[element.tet][k];
                point = plus_side.at(point);
            }
        }
    }
    return cut;
}

}  // namespace kaname::sources
