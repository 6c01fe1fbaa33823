// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

namespace kaname::aderdg {

/// Point of a triangle by its barycentric coordinates, weight for an area of 1.
struct TrianglePoint {
    std::array<double, 3> lambda;
    double weight;
};

/// Points that turns and mirrors of a triangle map to one another, all inside, weights above 0;
/// exact to `degree`, which is 2, 4 .. 12.
[[nodiscard]] std::vector<TrianglePoint> triangle_points(int degree);

}  // namespace kaname::aderdg
