// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::p2 {

struct Location {
    std::int32_t tet = -1;
    std::array<double, 4> barycentric{};
    double distance_m = 0.0;  ///< how far the point was moved to lie in the tet
    Vec3 snapped;
};

/// Containing tetrahedron of each point; a point outside is moved to the nearest place of the mesh
/// (distance_m says how far). Of several tets that touch the point the lowest id is taken.
[[nodiscard]] std::vector<Location> locate_points(const mesh::TetMesh& mesh,
                                                  std::span<const Vec3> points);

}  // namespace kaname::p2
