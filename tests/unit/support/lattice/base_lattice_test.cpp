// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/lattice/base_lattice.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"

namespace kaname::meshing::base_lattice_test {
namespace {

double size_near_spot(double b, double a) {
    return std::min(30.0, 1.0 + 0.3 * std::hypot(b - 10, a + 20));
}

double area(const BaseLattice& base, const std::array<std::int32_t, 3>& t) {
    const auto& [p, q, r] = std::tie(base.points[t[0]], base.points[t[1]], base.points[t[2]]);
    return ((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])) / 2;
}

TEST(BisectRectangle, ConformsAndFillsTheRectangle) {
    const auto base = bisect_rectangle(200, 130, size_near_spot, 1000000);

    std::map<std::pair<int, int>, int> uses;
    double sum = 0.0;
    for (const auto& t : base.triangles) {
        ASSERT_GT(area(base, t), 0.0);
        sum += area(base, t);
        for (int edge = 0; edge < 3; ++edge) {
            ++uses[std::minmax(t[edge], t[(edge + 1) % 3])];
        }
    }

    EXPECT_NEAR(sum, 200.0 * 130.0, 1e-8);
    for (const auto& [edge, count] : uses) {
        const auto& p = base.points[edge.first];
        const auto& q = base.points[edge.second];
        const bool side =
            (std::abs(p[0]) == 100.0 && p[0] == q[0]) || (std::abs(p[1]) == 65.0 && p[1] == q[1]);
        EXPECT_EQ(count, side ? 1 : 2);
    }
}

TEST(BisectRectangle, MeetsTheSizesWithoutOverRefining) {
    const auto base = bisect_rectangle(200, 200, size_near_spot, 1000000);

    double ideal = 0.0;
    for (const auto& t : base.triangles) {
        const double leg = std::sqrt(2 * area(base, t));
        const double b = (base.points[t[0]][0] + base.points[t[1]][0] + base.points[t[2]][0]) / 3;
        const double a = (base.points[t[0]][1] + base.points[t[1]][1] + base.points[t[2]][1]) / 3;
        EXPECT_LE(leg, size_near_spot(b, a) * (1 + 1e-12));
        ideal += area(base, t) / (0.5 * std::pow(size_near_spot(b, a), 2));
    }

    EXPECT_LT(static_cast<double>(base.triangles.size()), 3.0 * ideal);
}

TEST(BisectRectangle, KeepsAnglesOfRightIsoscelesTriangles) {
    const auto base = bisect_rectangle(130, 200, size_near_spot, 1000000);

    double smallest = 180.0;
    for (const auto& t : base.triangles) {
        for (int corner = 0; corner < 3; ++corner) {
            const auto& p = base.points[t[corner]];
            const auto& q = base.points[t[(corner + 1) % 3]];
            const auto& r = base.points[t[(corner + 2) % 3]];
            const double dot = (q[0] - p[0]) * (r[0] - p[0]) + (q[1] - p[1]) * (r[1] - p[1]);
            smallest = std::min(smallest, std::atan2(2 * area(base, t), dot) * 57.29577951);
        }
    }

    EXPECT_GT(smallest, 40.0);
}

TEST(BisectRectangle, RefusesMoreTrianglesThanAllowed) {
    EXPECT_THROW(static_cast<void>(bisect_rectangle(200, 200, size_near_spot, 100)), Error);
}

}  // namespace
}  // namespace kaname::meshing::base_lattice_test
