// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::test {

/// Lattice rectangle made of fault faces: on the plane where lattice coordinate `axis` is `index`,
/// cells low..high (exclusive) of the two other coordinates (entries at `axis` are ignored).
struct LatticeFault {
    int axis = 0;
    int index = 0;
    std::array<int, 3> low = {};
    std::array<int, 3> high = {};
    bool normal_along_axis = true;  ///< false: the plus side is towards smaller coordinates
};

/// Box of cells[0] x cells[1] x cells[2] hexahedra, each cut into the six tetrahedra around the
/// diagonal from its low to its high corner. Vertex (i, j, k) has id i + (nx + 1) (j + (ny + 1) k).
struct BoxMesh {
    std::array<int, 3> cells = {1, 1, 1};
    Vec3 low = {};
    Vec3 high = {1.0, 1.0, 1.0};
    std::vector<LatticeFault> faults = {};
    /// Moves the vertices; must keep every tetrahedron's orientation.
    std::function<Vec3(const Vec3&)> move = {};
    /// Material of a tetrahedron by its centroid after the move; all 0 when empty.
    std::function<int(const Vec3&)> material = {};

    [[nodiscard]] mesh::TetMesh build() const;
};

}  // namespace kaname::test
