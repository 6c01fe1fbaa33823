// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

namespace kaname::fault {

/// A point of a triangle: barycentric coordinates of its second and third vertex, part of the area.
struct TrianglePoint {
    double l1, l2, weight;
};

namespace triangle_rule {
inline constexpr double kRoot = 3.872983346207417;  // sqrt(15)
inline constexpr double kA = (6.0 - kRoot) / 21.0, kB = (6.0 + kRoot) / 21.0;
inline constexpr double kWeightA = (155.0 - kRoot) / 1200.0, kWeightB = (155.0 + kRoot) / 1200.0;
}  // namespace triangle_rule

/// Exact to degree five: Radon (1948).
inline constexpr std::array<TrianglePoint, 7> kTriangleRule = {{
    {1.0 / 3.0, 1.0 / 3.0, 9.0 / 40.0},
    {triangle_rule::kA, triangle_rule::kA, triangle_rule::kWeightA},
    {1.0 - 2.0 * triangle_rule::kA, triangle_rule::kA, triangle_rule::kWeightA},
    {triangle_rule::kA, 1.0 - 2.0 * triangle_rule::kA, triangle_rule::kWeightA},
    {triangle_rule::kB, triangle_rule::kB, triangle_rule::kWeightB},
    {1.0 - 2.0 * triangle_rule::kB, triangle_rule::kB, triangle_rule::kWeightB},
    {triangle_rule::kB, 1.0 - 2.0 * triangle_rule::kB, triangle_rule::kWeightB},
}};

}  // namespace kaname::fault
