// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::mesh {

using Corners = std::array<Vec3, 4>;

[[nodiscard]] inline Corners corners_of(const TetMesh& mesh, std::size_t tet) {
    const auto& v = mesh.tets[tet];
    return {mesh.xyz[v[0]], mesh.xyz[v[1]], mesh.xyz[v[2]], mesh.xyz[v[3]]};
}
[[nodiscard]] inline Vec3 centroid_of(const Corners& at) {
    return 0.25 * (at[0] + at[1] + at[2] + at[3]);
}
/// [m^3], negative for the other orientation.
[[nodiscard]] inline double volume_of(const Corners& at) {
    return det6(at[0], at[1], at[2], at[3]) / 6.0;
}
/// Size of an element [m]: the edge of the regular tetrahedron of this volume, a^3 = 6 sqrt(2) V.
[[nodiscard]] double regular_edge_m(double volume_m3);

[[nodiscard]] double longest_edge_m(const Corners& at);

/// The six dihedral angles [degrees].
[[nodiscard]] std::array<double, 6> dihedral_angles_deg(const Corners& at);

}  // namespace kaname::mesh
