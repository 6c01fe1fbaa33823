// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <vector>

namespace kaname::aderdg {

/// Coefficients of Legendre's polynomial of degree n <= 12 on [0, 1], lowest power first.
[[nodiscard]] const std::vector<double>& legendre(int n);

/// sum_k c[k] x^k.
[[nodiscard]] double polynomial(const std::vector<double>& c, double x);

/// Gauss's rule on [0, 1].
struct GaussRule {
    std::vector<double> x, w;
};
/// Returns the rule of n = 1..12 points.
[[nodiscard]] const GaussRule& gauss_rule(int n);

/// Points of a tetrahedron by their barycentric coordinates, weights for a volume of 1: Gauss's
/// rule of n points in each of the collapsed coordinates, exact to degree 2 n - 3.
struct TetRule {
    struct Point {
        std::array<double, 4> lambda;
        double weight;
    };
    std::vector<Point> points;
    explicit TetRule(int n);
};

/// x = A^-1 b of a positive definite matrix [n][n], by Cholesky's factors.
[[nodiscard]] std::vector<double> solved(std::vector<double> a, std::vector<double> b);

/// Point of a triangle by its barycentric coordinates, weight for an area of 1.
struct TrianglePoint {
    std::array<double, 3> lambda;
    double weight;
};

/// Points that turns and mirrors of a triangle map to one another, all inside, weights above 0;
/// exact to `degree`, which is 2, 4 .. 12.
[[nodiscard]] std::vector<TrianglePoint> triangle_points(int degree);

}  // namespace kaname::aderdg
