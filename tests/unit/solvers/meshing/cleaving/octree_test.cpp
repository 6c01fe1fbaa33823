// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/octree.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"

namespace kaname::cleaving::octree_test {
namespace {

constexpr std::int64_t kMany = 10'000'000;

const Octree::Roots kRoots = {{-3.0, -2.0, -5.0}, {2.0, 2.0, 2.5}, {3, 2, 2}};

/// Cubes that hold a point are divided down to `level`.
Octree about_points(const Octree::Roots& roots, const std::vector<Vec3>& points, int level) {
    const double smallest = 0.5 * roots.edge.x / (1 << level);
    return {roots, kMany, [=](const Vec3& centre, const Vec3& half) {
                return half.x > 1.01 * smallest && std::ranges::any_of(points, [&](const Vec3& x) {
                           return std::abs(x.x - centre.x) <= half.x &&
                                  std::abs(x.y - centre.y) <= half.y &&
                                  std::abs(x.z - centre.z) <= half.z;
                       });
            }};
}

double volume(const Octree& octree) {
    double sum = 0.0;
    for (const Cell& leaf : octree.leaves()) {
        const Vec3 edge = octree.edge(leaf.level);
        sum += edge.x * edge.y * edge.z;
    }
    return sum;
}

/// Level of the leaf that holds the place `at`, which counts cubes of `level`; no deeper than that.
int level_of_leaf(const Octree& octree, Cell cell) {
    while (cell.level > 0 && !octree.divided(Octree::parent(cell))) {
        cell = Octree::parent(cell);
    }
    return cell.level;
}

TEST(Octree, WithoutAReasonToDivideHasItsRoots) {
    const Octree octree(kRoots, kMany, [](const Vec3&, const Vec3&) { return false; });

    EXPECT_EQ(octree.leaves().size(), 12U);
    EXPECT_EQ(octree.depth(), 0);
    EXPECT_EQ(octree.centre(octree.leaves().front()), (Vec3{-2.0, -1.0, -3.75}));
}

TEST(Octree, AsksWithTheCubesCentreAndHalfEdge) {
    const Octree octree(kRoots, kMany, [](const Vec3& centre, const Vec3& half) {
        return half == Vec3{1.0, 1.0, 1.25} && centre == Vec3{2.0, 1.0, -1.25};
    });

    EXPECT_EQ(octree.leaves().size(), 11U + 8U);
    EXPECT_TRUE(octree.divided({0, {2, 1, 1}}));
    EXPECT_TRUE(octree.is_leaf({1, {5, 3, 3}}));
    EXPECT_FALSE(octree.is_leaf({1, {0, 0, 0}})) << "lies in a leaf";
}

TEST(Octree, LeavesFillTheBoxAndNeighboursDifferByOneLevel) {
    std::mt19937 random(5);
    const auto in = [&](double low, double high) {
        return low + (high - low) * random() / 4294967296.0;
    };
    for (int trial = 0; trial < 4; ++trial) {
        std::vector<Vec3> points(3);
        for (Vec3& x : points) {
            x = {in(-3.0, 3.0), in(-2.0, 2.0), in(-5.0, 0.0)};
        }
        const Octree octree = about_points(kRoots, points, 6);

        EXPECT_EQ(octree.depth(), 6);
        EXPECT_NEAR(volume(octree), 120.0, 1e-9);
        int coarser = 0;
        for (const Cell& leaf : octree.leaves()) {
            ASSERT_TRUE(octree.is_leaf(leaf));
            for (int n = 0; n < 27; ++n) {  // over faces, edges and corners
                const Cell neighbour{
                    leaf.level,
                    {leaf.at[0] + n % 3 - 1, leaf.at[1] + n / 3 % 3 - 1, leaf.at[2] + n / 9 - 1}};
                if (octree.inside(neighbour)) {
                    const int level = level_of_leaf(octree, neighbour);
                    ASSERT_GE(level, leaf.level - 1);
                    coarser += level < leaf.level ? 1 : 0;
                }
            }
        }
        EXPECT_GT(coarser, 100);
    }
}

TEST(Octree, CubesAboutThePointHaveTheLevelAskedFor) {
    const Octree octree = about_points(kRoots, {{0.3, 0.2, -0.7}}, 7);

    int smallest = 0;
    for (const Cell& leaf : octree.leaves()) {
        smallest += leaf.level == 7 ? 1 : 0;
    }
    EXPECT_EQ(smallest, 8) << "children of the one cube that holds it";
}

TEST(Octree, MoreLeavesThanAllowedAreRefused) {
    const std::vector<Vec3> points = {{0.3, 0.2, -0.7}};
    const auto needed = static_cast<std::int64_t>(about_points(kRoots, points, 6).leaves().size());
    const auto with_most = [&](std::int64_t most) {
        const Octree octree(kRoots, most, [&](const Vec3& centre, const Vec3& half) {
            return half.x > 1.01 / 64 && std::abs(points[0].x - centre.x) <= half.x &&
                   std::abs(points[0].y - centre.y) <= half.y &&
                   std::abs(points[0].z - centre.z) <= half.z;
        });
        return octree.leaves().size();
    };

    EXPECT_EQ(with_most(needed), static_cast<std::size_t>(needed));
    for (const std::int64_t most : {needed - 1, std::int64_t{11}, std::int64_t{1}}) {
        try {
            (void)with_most(most);
            ADD_FAILURE() << "not refused";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::Exhausted);
            EXPECT_NE(std::string(error.what()).find(std::to_string(most)), std::string::npos);
        }
    }
}

TEST(Octree, MoreCellsThanCanBeCountedAreRefusedBeforeAnyIsMade) {
    const auto make = [](const Octree::Roots& roots, bool divide) {
        return Octree(roots, std::int64_t{1} << 60,
                      [=](const Vec3& centre, const Vec3& half) {
                          return divide && centre.x == half.x && centre.y == half.y &&
                                 centre.z == half.z;
                      })
            .leaves()
            .size();
    };
    const Octree::Roots wide = {{}, {1.0, 1.0, 1.0}, {1 << Octree::kBits, 1, 1}};
    const Octree::Roots one = {{}, {1.0, 1.0, 1.0}, {1, 1, 1}};

    EXPECT_THROW((void)make(wide, false), Error);
    EXPECT_THROW((void)make(one, true), Error) << "the corner's cube is divided for ever";
    EXPECT_EQ(make(one, false), 1U);
}

}  // namespace
}  // namespace kaname::cleaving::octree_test
