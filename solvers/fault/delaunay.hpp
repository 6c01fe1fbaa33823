// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace kaname::fault {

/// Delaunay triangulation of the points' convex hull.
///   triangles  [T][3]  point ids, counter-clockwise
///   neighbours [T][3]  triangle across the edge from corner k to corner k + 1, -1 on the hull
struct Delaunay {
    std::vector<std::array<std::int32_t, 3>> triangles;
    std::vector<std::array<std::int32_t, 3>> neighbours;
};

/// Sweep along the first axis with edge flips. The points are rounded to 2^-30 of their extent and
/// all decisions are exact in integers, so that regular grids, whose points lie on common circles
/// and lines, are no special case. Throws InvalidArgument when there are fewer than three points,
/// two of them are the same after rounding (named by their indices), or all lie on a line.
[[nodiscard]] Delaunay triangulate(std::span<const std::array<double, 2>> points);

}  // namespace kaname::fault
