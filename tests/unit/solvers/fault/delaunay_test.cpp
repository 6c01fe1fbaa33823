// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/fault/slip_field.hpp"

namespace kaname::fault::delaunay_test {
namespace {

using Points = std::vector<std::array<double, 2>>;

double area(const Points& p, const std::array<std::int32_t, 3>& t) {
    return 0.5 * ((p[t[1]][0] - p[t[0]][0]) * (p[t[2]][1] - p[t[0]][1]) -
                  (p[t[1]][1] - p[t[0]][1]) * (p[t[2]][0] - p[t[0]][0]));
}

/// Counter-clockwise, filling `whole`, neighbours mutual, and no point in a triangle's circle.
void expect_delaunay(const Points& p, double whole) {
    const Delaunay mesh = triangulate(p);

    double sum = 0.0;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const auto& [a, b, c] = mesh.triangles[t];
        const double of_this = area(p, mesh.triangles[t]);
        EXPECT_GT(of_this, 0.0);
        sum += of_this;
        const double d = 4.0 * of_this;
        const auto square = [&](std::int32_t k) { return p[k][0] * p[k][0] + p[k][1] * p[k][1]; };
        const double x = (square(a) * (p[b][1] - p[c][1]) + square(b) * (p[c][1] - p[a][1]) +
                          square(c) * (p[a][1] - p[b][1])) /
                         d;
        const double y = (square(a) * (p[c][0] - p[b][0]) + square(b) * (p[a][0] - p[c][0]) +
                          square(c) * (p[b][0] - p[a][0])) /
                         d;
        const double radius = std::hypot(p[a][0] - x, p[a][1] - y);
        for (const auto& q : p) {
            ASSERT_GE(std::hypot(q[0] - x, q[1] - y), radius * (1.0 - 1e-6) - 1e-9);
        }
        for (int k = 0; k < 3; ++k) {
            const std::int32_t across = mesh.neighbours[t][k];
            if (across >= 0) {
                const auto& back = mesh.neighbours[across];
                EXPECT_TRUE(back[0] == int(t) || back[1] == int(t) || back[2] == int(t));
            }
        }
    }
    EXPECT_NEAR(sum, whole, 1e-9 * whole);
}

TEST(Triangulate, RandomPointsWithTheirHull) {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    Points p = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    for (int k = 0; k < 300; ++k) {
        p.push_back({uniform(random), uniform(random)});
    }

    expect_delaunay(p, 4.0);
}

TEST(Triangulate, RegularGrid) {
    Points p;
    for (int i = 0; i < 13; ++i) {
        for (int j = 0; j < 9; ++j) {
            p.push_back({3.0 * i, 3.0 * j});
        }
    }

    expect_delaunay(p, 36.0 * 24.0);
}

TEST(Triangulate, LineAndOnePoint) {
    expect_delaunay({{0, 0}, {1, 0}, {2, 0}, {3, 0}, {3.5, 1}}, 1.5);
    expect_delaunay({{0, 0}, {1, 0}, {2, 0}, {3, 0}, {3.5, -1}}, 1.5);
    expect_delaunay({{0, 0}, {0, 1}, {0, 2}, {1, 5}, {1, 7}}, 2.0);
}

TEST(Triangulate, NamesWhatItCannotDo) {
    const auto error_of = [](const Points& p) -> std::string {
        try {
            (void)triangulate(p);
        } catch (const Error& error) {
            return error.what();
        }
        return "no error";
    };

    EXPECT_EQ(error_of({{0, 0}, {1, 0}}), "must be at least 3 points, got 2");
    EXPECT_EQ(error_of({{0, 0}, {1, 1}, {2, 2}, {3, 3}}), "points must not all lie on one line");
    EXPECT_EQ(error_of({{0, 0}, {1, 5}, {2, 2}, {1, 5}}), "points 1 and 3 are the same");
}

}  // namespace
}  // namespace kaname::fault::delaunay_test
