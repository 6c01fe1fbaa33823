// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/base/vec3.hpp"

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

/// A plane with two axes in it.
struct Plane {
    Vec3 origin, e1, e2, normal;
    /// Axes for a normal of any length.
    [[nodiscard]] static Plane across(const Vec3& origin, const Vec3& normal);
    [[nodiscard]] std::array<double, 3> coordinates(const Vec3& x) const;
};

/// Values given at scattered points of a surface that is seen from one side: linear in the
/// triangles of the points' Delaunay triangulation, as projected to a plane. A field that is linear
/// in that plane is given back exactly, values stay between those of three points.
class SlipField {
public:
    /// Points nearer to each other than this part of the table's extent are the same.
    static constexpr double kSamePoint = 1e-6;

    /// Throws as triangulate().
    SlipField(std::vector<Vec3> points, std::vector<Vec3> values, const Plane& plane);

    struct Sample {
        Vec3 value;               ///< outside of the points' hull: at its nearest place
        std::int32_t point = -1;  ///< the point that x is, if it is one
        double outside_m = 0.0;   ///< distance to the hull in the plane
        double beside_m = 0.0;    ///< distance to the interpolated points across the plane
        double size_m = 0.0;      ///< longest edge of the triangle
    };
    /// Fast where x is near the x of the call before.
    [[nodiscard]] Sample at(const Vec3& x);
    /// Longest side of the box around the points.
    [[nodiscard]] double extent_m() const { return extent_m_; }

private:
    using Weights = std::array<double, 3>;
    [[nodiscard]] Weights weights(std::int32_t triangle, double u, double v) const;
    /// The triangle around (u, v), or -1 outside.
    std::int32_t find(double u, double v);
    [[nodiscard]] Sample blend(const std::array<std::int32_t, 3>& points, const Weights& weights,
                               const std::array<double, 3>& x) const;
    [[nodiscard]] Sample nearest_on_hull(const std::array<double, 3>& x) const;

    std::vector<Vec3> points_, values_;
    Plane plane_;
    std::vector<std::array<double, 3>> at_;  ///< coordinates in the plane and across
    Delaunay mesh_;
    double extent_m_ = 0.0;
    std::int32_t last_ = 0;  ///< triangle found last
};

}  // namespace kaname::fault
