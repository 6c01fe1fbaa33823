// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/mesh/tet_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kaname::mesh {

double regular_edge_m(double volume_m3) {
    return std::cbrt(6.0 * std::numbers::sqrt2 * volume_m3);
}

double longest_edge_m(const Corners& at) {
    double longest = 0.0;
    for (const auto& [a, b] : kTetEdges) {
        longest = std::max(longest, norm(at[b] - at[a]));
    }
    return longest;
}

std::array<double, 6> dihedral_angles_deg(const Corners& at) {
    constexpr double kDegrees = 180.0 / std::numbers::pi;
    std::array<Vec3, 4> normal;
    for (int face = 0; face < 4; ++face) {
        const auto& f = kTetFaces[face];
        normal[face] = cross(at[f[1]] - at[f[0]], at[f[2]] - at[f[0]]);
    }
    std::array<double, 6> angles{};
    int pair = 0;
    for (int one = 0; one < 4; ++one) {
        for (int other = one + 1; other < 4; ++other) {
            // pi minus the angle between outward normals
            const Vec3& n = normal[one];
            const Vec3& m = normal[other];
            angles[pair++] = kDegrees * std::atan2(norm(cross(n, m)), -dot(n, m));
        }
    }
    return angles;
}

}  // namespace kaname::mesh
