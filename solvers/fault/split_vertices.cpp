// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/split_vertices.hpp"

#include <map>
#include <numeric>
#include <utility>

namespace kaname::fault {

SplitVertices split_vertices(const mesh::TetMesh& mesh, const SplitNodes& split) {
    SplitVertices cut;
    cut.vertex.resize(mesh.xyz.size());
    std::iota(cut.vertex.begin(), cut.vertex.end(), 0);
    // A tet's corner: its vertex, and the faults on whose plus side it is.
    using Side = std::pair<std::int32_t, std::vector<std::int32_t>>;
    std::map<std::pair<std::int32_t, int>, Side> sides;  // by tet and corner
    for (const SplitElement& element : split.elements) {
        for (int k = 0; k < 4; ++k) {
            if (element.side[k] > 0) {
                Side& side = sides[{element.tet, k}];
                side.first = mesh.tets[element.tet][k];
                side.second.push_back(element.fault);
            }
        }
    }
    std::map<Side, std::int32_t> points;  // in the order of vertices
    for (const auto& [corner, side] : sides) {
        points.emplace(side, 0);
    }
    for (auto& [side, point] : points) {
        point = static_cast<std::int32_t>(cut.vertex.size());
        cut.vertex.push_back(side.first);
    }
    cut.tets = mesh.tets;
    for (const auto& [corner, side] : sides) {
        cut.tets[corner.first][corner.second] = points.at(side);
    }
    return cut;
}

}  // namespace kaname::fault
