// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/unit_source.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"

namespace kaname::fault::unit_source_test {
namespace {

Patch patch_at(double s, double d, Hat hat) {
    return {"p", {s, d}, 10e3, 8e3, hat};
}

class GridOfHats : public testing::TestWithParam<Hat> {};

TEST_P(GridOfHats, SumsToOneInItsInterior) {
    for (const FaultCoordinates at :
         {FaultCoordinates{31.3e3, 30.1e3}, {40e3, 32e3}, {37.9e3, 27.2e3}}) {
        double sum = 0.0;
        for (int i = 0; i < 8; ++i) {
            for (int j = 0; j < 8; ++j) {
                sum += patch_at(10e3 * i, 8e3 * j, GetParam()).shape(at);
            }
        }

        EXPECT_NEAR(sum, 1.0, 1e-14);
    }
}

INSTANTIATE_TEST_SUITE_P(Hats, GridOfHats,
                         testing::Values(Hat::Uniform, Hat::Bilinear, Hat::Bicubic));

TEST(Patch, VanishesAtItsReachAndNotBefore) {
    for (const Hat hat : {Hat::Uniform, Hat::Bilinear, Hat::Bicubic}) {
        const Patch patch = patch_at(1e3, 2e3, hat);

        EXPECT_EQ(patch.shape({1e3 + patch.reach_s(), 2e3}), 0.0);
        EXPECT_EQ(patch.shape({1e3, 2e3 - patch.reach_d()}), 0.0);
        EXPECT_GT(patch.shape({1e3 - 0.99 * patch.reach_s(), 2e3 + 0.99 * patch.reach_d()}), 0.0);
    }
}

TEST(Patch, AreaIsThatOfTheRectangleOnTheFaultAsItIsBent) {
    const Patch patch = patch_at(0.0, 20e3, Hat::Bilinear);
    const PlaneFault plane({0.0, 0.0, -5e3}, 0.3, 0.7);
    // A cylinder of radius R about a level axis along strike (north): d is its arc, s its axis.
    constexpr double kRadius_m = 50e3;
    const InterfaceFault cylinder(
        [](double x, double) { return kRadius_m - std::sqrt(kRadius_m * kRadius_m - x * x); }, 0.0,
        0.0, 0.0);

    EXPECT_NEAR(patch.area_m2(plane), 80e6, 1e-3);
    EXPECT_NEAR(patch.area_m2(cylinder) / 80e6, 1.0, 1e-4);
}

TEST(Patch, AnOpenTopGoesOnUpward) {
    Patch patch = patch_at(0.0, 4e3, Hat::Uniform);
    patch.open_top = true;

    EXPECT_EQ(patch.shape({0.0, -20e3}), 1.0);
    EXPECT_EQ(patch.shape({0.0, 4e3 + patch.reach_d()}), 0.0);
}

TEST(Patch, HatsHaveTheirCentreValues) {
    EXPECT_EQ(patch_at(0.0, 0.0, Hat::Uniform).shape({}), 1.0);
    EXPECT_EQ(patch_at(0.0, 0.0, Hat::Bilinear).shape({}), 1.0);
    EXPECT_NEAR(patch_at(0.0, 0.0, Hat::Bicubic).shape({}), 4.0 / 9.0, 1e-15);
}

TEST(UnitSource, ReverseSlipMovesTheHangingWallUpDip) {
    const PlaneFault fault({0.0, 0.0, -5e3}, 0.0, 30.0 * kDegree);
    const UnitSource source{"p/dip_slip", "dip_slip", 90.0 * kDegree,
                            patch_at(0.0, 4e3, Hat::Uniform)};

    const Vec3 slip = source.slip_at(fault, FaultCoordinates{1e3, 4e3});

    EXPECT_NEAR(slip.x, -std::cos(30.0 * kDegree), 1e-12);
    EXPECT_NEAR(slip.y, 0.0, 1e-12);
    EXPECT_NEAR(slip.z, 0.5, 1e-12);
}

TEST(UnitSource, LeftLateralSlipMovesTheHangingWallAlongStrike) {
    const PlaneFault fault({}, 50.0 * kDegree, 90.0 * kDegree);
    const UnitSource source{"p/strike_slip", "strike_slip", 0.0, patch_at(0.0, 0.0, Hat::Bilinear)};

    const Vec3 slip = source.slip_at(fault, FaultCoordinates{2e3, 0.0});

    EXPECT_NEAR(slip.x, 0.8 * std::sin(50.0 * kDegree), 1e-12);
    EXPECT_NEAR(slip.y, 0.8 * std::cos(50.0 * kDegree), 1e-12);
    EXPECT_NEAR(slip.z, 0.0, 1e-12);
}

TEST(UnitSource, SlipOnCurvedFaultIsTangentAndHasTheHatsLength) {
    const auto depth = [](double x, double y) { return 15e3 + 1e-6 * x * x + 0.1 * y; };
    const InterfaceFault fault(depth, 40e3, 0.0, 10.0 * kDegree);
    const UnitSource source{"p/rake_70", "rake_70", 70.0 * kDegree,
                            patch_at(0.0, 0.0, Hat::Bilinear)};
    const FaultCoordinates at = {4e3, 3e3};

    const Vec3 slip = source.slip_at(fault, at);

    EXPECT_NEAR(dot(slip, fault.normal(at)), 0.0, 1e-9);
    EXPECT_NEAR(norm(slip), source.patch.shape(at), 1e-9);
    EXPECT_GT(slip.z, 0.0);
}

TEST(UnitSource, RefusesAFoldOfNinetyDegrees) {
    // Flat for x < 0, then nearly vertical.
    const auto depth = [](double x, double) { return 10e3 + (x > 0.0 ? 1e4 * x : 0.0); };
    const InterfaceFault fault(depth, -2e3, 0.0, 0.0);
    const UnitSource source{"p/dip_slip", "dip_slip", 90.0 * kDegree,
                            patch_at(0.0, 0.0, Hat::Bilinear)};

    EXPECT_THROW((void)source.slip_at(fault, FaultCoordinates{0.0, 6e3}), Error);
}

TEST(UnitSource, OutlineIsTheCoreRectangle) {
    const PlaneFault fault({0.0, 0.0, -5e3}, 0.0, 90.0 * kDegree);
    const UnitSource source{"p/dip_slip", "dip_slip", 90.0 * kDegree,
                            patch_at(1e3, 4e3, Hat::Bilinear)};

    const auto corners = source.outline(fault);

    EXPECT_NEAR(corners[0].y, -4e3, 1e-9);
    EXPECT_NEAR(corners[0].z, -5e3, 1e-9);
    EXPECT_NEAR(corners[2].y, 6e3, 1e-9);
    EXPECT_NEAR(corners[2].z, -13e3, 1e-9);
}

}  // namespace
}  // namespace kaname::fault::unit_source_test
