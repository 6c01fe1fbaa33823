// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::meshing {

/// Bits of a vertex's mask: the sides it lies on (1 << Side), and the fault.
using VertexMask = std::uint8_t;
inline constexpr VertexMask kOnFault = 1u << mesh::kSideCount;
[[nodiscard]] constexpr VertexMask on_side(mesh::Side side) {
    return static_cast<VertexMask>(1u << static_cast<unsigned>(side));
}

/// Fills boundary_faces (every tet face whose vertices share a side) and fault_faces (every tet
/// face of kOnFault vertices of which `is_plus(opposite vertex)` says the tet is on the plus side,
/// turned so that the normal points into that tet).
///   mask [V]
void collect_faces(mesh::TetMesh& mesh, std::span<const VertexMask> mask,
                   const std::function<bool(std::int32_t opposite)>& is_plus);

}  // namespace kaname::meshing
