// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "solvers/meshing/cleaving/complex.hpp"
#include "solvers/p2/dof_map.hpp"

namespace kaname::cleaving {

/// Counts the changes by mend_fault_sides().
struct RepairedSides {
    std::int64_t turned = 0;   ///< tets that went to the fault's other side
    std::int64_t without = 0;  ///< tets that are on neither side any more: the fault has a hole
};

/// Gives tets other sides until every fault parts the tets around each of its vertices and edges
/// into one plus and one minus side, or not at all. In a wedge thinner than an element between a
/// fault and the ground all corners of a tet may lie on one or the other; the tets' sides are then
/// a matter of their centroids, and where these differ from tet to tet the faces between them meet
/// in an edge or a vertex only. The smaller parts there go over to the side around them. Which
/// way a thin wedge goes does not matter for the rest of the body: slip that is the same on both
/// ways displaces the wedge as a whole, or not (docs/theory/meshing.md).
RepairedSides mend_fault_sides(Complex& complex, int fault);

using Triangle = std::array<std::int32_t, 3>;

/// A tet's face with its outward orientation.
struct Face {
    Triangle key;  ///< ascending
    Triangle outward;
    std::int32_t tet;
};

/// The faces that `take(face, tet)` wants, sorted: those of two tets stand side by side. Few of
/// all are wanted, and of each its tet: sorting them takes less than a mesh::FaceSet.
template <class Take>
[[nodiscard]] std::vector<Face> collect_faces(const std::vector<Tet>& tets, const Take& take) {
    std::vector<Face> found;
    for (std::size_t t = 0; t < tets.size(); ++t) {
        for (const auto& corners : p2::kTetFaces) {
            const Triangle face = {tets[t][corners[0]], tets[t][corners[1]], tets[t][corners[2]]};
            if (take(face, t)) {
                Triangle key = face;
                std::ranges::sort(key);
                found.push_back({key, face, static_cast<std::int32_t>(t)});
            }
        }
    }
    std::ranges::sort(found, [](const Face& a, const Face& b) {
        return std::pair(a.key, a.tet) < std::pair(b.key, b.tet);
    });
    return found;
}

/// Faces between a tet of the fault's plus side and one of its minus side, the normal to plus:
/// everywhere that the mesh conforms to the fault's sheet, also outside of its outline.
[[nodiscard]] std::vector<Triangle> faces_between_sides(const Complex& complex, int fault);

}  // namespace kaname::cleaving
