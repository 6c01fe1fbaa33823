// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

namespace kaname::mesh {

/// Edges of a tetrahedron by its corners, in the order of fem's mid-edge nodes.
inline constexpr std::array<std::array<int, 2>, 6> kTetEdges = {
    {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}}};

/// Face opposite to corner k; right-hand normal outward for a tet of positive volume.
inline constexpr std::array<std::array<int, 3>, 4> kTetFaces = {
    {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};

}  // namespace kaname::mesh
