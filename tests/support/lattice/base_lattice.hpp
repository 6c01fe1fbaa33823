// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace kaname::meshing {

/// Conforming triangles of a rectangle centred on the origin.
struct BaseLattice {
    std::vector<std::array<double, 2>> points;           ///< [V] (b, a), exact on the sides
    std::vector<std::array<std::int32_t, 3>> triangles;  ///< [T] counter-clockwise in (b, a)
};

/// Newest-vertex bisection of a coarse grid of nearly square cells, until no triangle's leg
/// (sqrt(2 area)) exceeds the size at its corners and middle. All triangles are (nearly) right
/// isosceles; triangles, and points in them, follow a space-filling curve.
/// Throws InvalidArgument when more than `max_triangles` would be made.
[[nodiscard]] BaseLattice bisect_rectangle(double width_b, double width_a,
                                           const std::function<double(double b, double a)>& size,
                                           std::int64_t max_triangles);

}  // namespace kaname::meshing
