// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "solvers/meshing/cleaving/size_field.hpp"

namespace kaname::cleaving::point_tree_test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

double nearest(const std::vector<Vec3>& points, const Vec3& x) {
    double least = kInf;
    for (const Vec3& point : points) {
        least = std::min(least, norm(point - x));
    }
    return least;
}

/// Coordinates 0..7, so that many are equal, or anywhere in between.
std::vector<Vec3> draw(std::mt19937& random, int n, bool on_grid) {
    std::vector<Vec3> points;
    const auto next = [&] {
        return on_grid ? static_cast<double>(random() % 8) : 7.0 * random() / 4294967296.0;
    };
    for (int k = 0; k < n; ++k) {
        const double x = next(), y = next(), z = next();
        points.push_back({x, y, z});
    }
    return points;
}

TEST(PointTree, FindsWhatLookingAtAllPointsFinds) {
    std::mt19937 random(1);
    for (const int n : {1, 2, 7, 8, 9, 17, 100, 1000}) {
        for (const bool on_grid : {false, true}) {
            const std::vector<Vec3> points = draw(random, n, on_grid);
            const PointTree tree(points);
            for (const Vec3& x : draw(random, 50, on_grid)) {
                EXPECT_DOUBLE_EQ(tree.distance_m(x, kInf), nearest(points, x)) << n;
            }
            EXPECT_EQ(tree.distance_m(points.front(), kInf), 0.0);
        }
    }
}

TEST(PointTree, LooksNoFartherThanTheLimit) {
    std::mt19937 random(2);
    const std::vector<Vec3> points = draw(random, 200, false);
    const PointTree tree(points);

    for (const Vec3& x : draw(random, 100, false)) {
        EXPECT_DOUBLE_EQ(tree.distance_m(x, 0.5), std::min(0.5, nearest(points, x)));
    }
    EXPECT_EQ(tree.distance_m({100.0, 0.0, 0.0}, 0.3), 0.3);
}

TEST(PointTree, WithoutPointsNothingIsNear) {
    const PointTree tree({});

    EXPECT_TRUE(tree.empty());
    EXPECT_EQ(tree.distance_m({}, kInf), kInf);
    EXPECT_EQ(tree.distance_m({}, 5.0), 5.0);
}

}  // namespace
}  // namespace kaname::cleaving::point_tree_test
