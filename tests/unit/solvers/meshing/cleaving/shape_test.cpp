// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "solvers/meshing/cleaving/lattice.hpp"

namespace kaname::cleaving::shape_test {
namespace {

constexpr double kDegrees = 180.0 / std::numbers::pi;

TEST(Shape, OfTheRegularTetrahedronIsItsAngle) {
    const double angle = std::acos(1.0 / 3.0) * kDegrees;  // 70.53

    for (const double scale : {1e-3, 1.0, 1e6}) {
        EXPECT_NEAR(shape_deg(scale * Vec3{1, 1, 1}, scale * Vec3{-1, 1, -1},
                              scale * Vec3{1, -1, -1}, scale * Vec3{-1, -1, 1}),
                    angle, 1e-10);
    }
}

TEST(Shape, OfACubesCornerIsItsSmallestAngle) {
    // Between the slant face and the others; the largest angle, 90, lacks more: 2/3 * 90 = 60.
    EXPECT_NEAR(shape_deg({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}),
                std::acos(1.0 / std::sqrt(3.0)) * kDegrees, 1e-10);
}

TEST(Shape, OfAFlatCapIsTwoThirdsOfWhatItsLargestAngleLacks) {
    // Apex a little over the middle of a triangle: angles between the sides are nearly 180.
    constexpr double kHeight = 0.2;
    const Vec3 a{1, 0, 0}, b{-0.5, std::sqrt(0.75), 0}, c{-0.5, -std::sqrt(0.75), 0};
    const double base = std::atan(kHeight / 0.5) * kDegrees;
    // Normals of the sides lean by `base`; their directions in plan differ by 120 degrees.
    const double s = std::sin(base / kDegrees), k = std::cos(base / kDegrees);
    const double widest = 180.0 - std::acos(k * k - 0.5 * s * s) * kDegrees;
    ASSERT_LT(2.0 / 3.0 * (180.0 - widest), 26.0);

    EXPECT_NEAR(shape_deg(a, b, c, {0, 0, kHeight}), std::min(base, 2.0 / 3.0 * (180.0 - widest)),
                1e-9);
    EXPECT_NEAR(shape_deg(a, b, c, {0, 0, 0.01}), std::atan(0.02) * kDegrees, 1e-9);
}

TEST(Shape, OfInvertedOnesIsBelowMinusOneAndLowerTheWorseTheyAre) {
    const auto with_apex = [](double z) { return shape_deg({}, {1, 0, 0}, {0, 1, 0}, {0, 0, z}); };

    EXPECT_LE(with_apex(0.0), -1.0);
    EXPECT_LT(with_apex(-0.01), with_apex(0.0));
    EXPECT_LT(with_apex(-0.5), with_apex(-0.01));
    EXPECT_GT(with_apex(0.01), 0.0);
}

TEST(Shape, OfTetsWithCoincidentCornersIsNoNumberLost) {
    EXPECT_EQ(shape_deg({}, {}, {}, {}), -1.0);
    EXPECT_EQ(shape_deg({1, 2, 3}, {1, 2, 3}, {4, 5, 6}, {0, 0, 1}), -1.0);
}

}  // namespace
}  // namespace kaname::cleaving::shape_test
