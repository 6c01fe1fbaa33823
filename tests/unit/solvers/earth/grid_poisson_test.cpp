// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <gtest/gtest.h>

#include "solvers/earth/grid_fill.hpp"
#include "solvers/earth/height_field.hpp"

namespace kaname::earth::grid_poisson_test {
namespace {

/// Nodes 4 km apart in the middle, farther and farther out to half the box.
Axis stretched(double half_m) {
    const GridStretch stretch{-350e3, 350e3, 200e3};
    std::vector<double> places;
    const double end = std::ceil(stretch.even(half_m) / 4e3);
    for (double k = -end; k <= end; k += 1.0) {
        places.push_back(stretch.place(4e3 * k));
    }
    return Axis(places);
}

struct Found {
    int iterations;
    double worst;  ///< largest error of a linear field that the data's rim prescribes [m]
};

/// Data from 100 to 110 km about the middle, and beyond 0.9 of the box.
Found solve_linear(double half_m, double per_decay2) {
    const Axes axes{stretched(half_m), stretched(half_m)};
    std::vector<unsigned char> fixed(axes.nodes());
    std::vector<double> x(axes.nodes()), exact(axes.nodes()), rhs(axes.nodes());
    for (std::size_t j = 0; j < axes.v.x.size(); ++j) {
        for (std::size_t i = 0; i < axes.u.x.size(); ++i) {
            const std::size_t at = j * axes.u.x.size() + i;
            const double u = axes.u.x[i], v = axes.v.x[j];
            exact[at] = 1e-2 * u - 2e-2 * v;
            const double far = std::max(std::abs(u), std::abs(v));
            fixed[at] = far > 0.9 * half_m || (far > 100e3 && far < 110e3) ? 1 : 0;
            x[at] = fixed[at] != 0 ? exact[at] : 0.0;
            rhs[at] = per_decay2 * axes.u.width[i] * axes.v.width[j] * exact[at];
        }
    }
    Found found{solve_poisson(axes, per_decay2, fixed, rhs, 1e-3, x), 0.0};
    for (std::size_t at = 0; at < x.size(); ++at) {
        found.worst = std::max(found.worst, std::abs(x[at] - exact[at]));
    }
    return found;
}

TEST(SolvePoisson, TakesAsManyIterationsInALargeBoxAsInASmallOne) {
    for (const double half_m : {1000e3, 3200e3}) {
        const Found found = solve_linear(half_m, 0.0);

        EXPECT_LE(found.iterations, 20) << half_m;
        EXPECT_LT(found.worst, 1.0) << "of 64 km";
    }
}

TEST(SolvePoisson, DecaysWhereAskedTo) {
    const Found found = solve_linear(1000e3, 1.0 / (50e3 * 50e3));

    EXPECT_LE(found.iterations, 20);
    EXPECT_LT(found.worst, 1.0);
}

TEST(SolvePoisson, OblongGridsAndThoseOfFewNodesAreSolved) {
    const Axes axes{Axis({0.0, 4e3, 8e3, 12e3}), stretched(1000e3)};
    std::vector<unsigned char> fixed(axes.nodes());
    std::vector<double> x(axes.nodes(), 0.0);
    const std::vector<double> rhs(axes.nodes(), 0.0);
    for (std::size_t i = 0; i < 4; ++i) {
        fixed[i] = 1;
        x[i] = 7.0;
    }

    solve_poisson(axes, 0.0, fixed, rhs, 1e-13, x);

    for (const double value : x) {
        EXPECT_NEAR(value, 7.0, 1e-6);
    }
}

}  // namespace
}  // namespace kaname::earth::grid_poisson_test
