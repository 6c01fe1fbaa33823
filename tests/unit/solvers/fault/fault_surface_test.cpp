// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/fault_surface.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"

namespace kaname::fault::fault_surface_test {
namespace {

void expect_near(const Vec3& a, const Vec3& b, double tolerance) {
    EXPECT_NEAR(a.x, b.x, tolerance);
    EXPECT_NEAR(a.y, b.y, tolerance);
    EXPECT_NEAR(a.z, b.z, tolerance);
}

TEST(PlaneFault, StrikeNorthDipsEast) {
    const PlaneFault fault({0.0, 0.0, -1000.0}, 0.0, 30.0 * kDegree);

    const Vec3 down = fault.down_dip();
    const Vec3 normal = fault.normal({});

    expect_near(fault.along_strike(), {0.0, 1.0, 0.0}, 1e-15);
    expect_near(down, {std::cos(30.0 * kDegree), 0.0, -0.5}, 1e-15);
    expect_near(normal, {0.5, 0.0, std::cos(30.0 * kDegree)}, 1e-15);
}

TEST(PlaneFault, VerticalFaultHasItsNormalToTheRightOfStrike) {
    const PlaneFault fault({}, 90.0 * kDegree, 90.0 * kDegree);

    const Vec3 normal = fault.normal({});

    expect_near(normal, {0.0, -1.0, 0.0}, 1e-15);
}

TEST(PlaneFault, CoordinatesInvertPoint) {
    const PlaneFault fault({10.0, 20.0, -1000.0}, 215.0 * kDegree, 40.0 * kDegree);

    const FaultCoordinates back = fault.coordinates(fault.point({1234.0, 567.0}));

    EXPECT_NEAR(back.s, 1234.0, 1e-9);
    EXPECT_NEAR(back.d, 567.0, 1e-9);
}

TEST(PlaneFault, RefusesZeroDip) {
    EXPECT_THROW(PlaneFault({}, 0.0, 0.0), Error);
}

TEST(InterfaceFault, EqualsPlaneFaultOnPlane) {
    const double strike = 250.0 * kDegree;
    const double dip = 12.0 * kDegree;
    const PlaneFault plane({3000.0, -2000.0, -9000.0}, strike, dip);
    const auto depth = [&](double x, double y) {
        const double across = (x - 3000.0) * std::cos(strike) - (y + 2000.0) * std::sin(strike);
        return 9000.0 + across * std::tan(dip);
    };
    const InterfaceFault fault(depth, 3000.0, -2000.0, strike);

    for (const FaultCoordinates at : {FaultCoordinates{12345.0, 23456.0}, {-5000.0, -7777.0}}) {
        const FaultCoordinates back = fault.coordinates(plane.point(at));

        EXPECT_NEAR(back.s, at.s, 1e-7);
        EXPECT_NEAR(back.d, at.d, 1e-7);
        expect_near(fault.point(at), plane.point(at), 1e-7);
        expect_near(fault.normal(at), plane.normal(at), 1e-10);
        expect_near(fault.strike_direction(at, 8000.0), plane.along_strike(), 1e-10);
    }
}

TEST(InterfaceFault, MeasuresArcLengthOfCircularSection) {
    // Cylinder of 200 km radius about a north-south axis, crest at x = 0.
    const double radius = 200e3;
    const auto depth = [&](double x, double) {
        return radius - std::sqrt(radius * radius - x * x);
    };
    const InterfaceFault fault(depth, 0.0, 0.0, 0.0);

    const FaultCoordinates at = fault.coordinates({radius * std::sin(0.4), 500.0, 0.0});

    EXPECT_NEAR(at.s, 500.0, 1e-9);
    EXPECT_NEAR(at.d, radius * 0.4, 0.5);
}

TEST(InterfaceFault, CoordinatesInvertPointOnCurvedSurface) {
    const auto depth = [](double x, double y) {
        return 15e3 + 0.2 * x + 3e3 * std::sin(x / 20e3) * std::cos(y / 30e3);
    };
    const InterfaceFault fault(depth, 1000.0, 2000.0, 20.0 * kDegree);

    const FaultCoordinates back = fault.coordinates(fault.point({25e3, 61.7e3}));

    EXPECT_NEAR(back.s, 25e3, 1e-6);
    EXPECT_NEAR(back.d, 61.7e3, 1e-6);
}

TEST(InterfaceFault, StrikeIsPerpendicularToTheMeanGradient) {
    // Dips towards azimuth 120 degrees, with ripples that average out over the disc.
    const double azimuth = 120.0 * kDegree;
    const auto depth = [&](double x, double y) {
        const double along_dip = x * std::sin(azimuth) + y * std::cos(azimuth);
        return 10e3 + 0.3 * along_dip + 30.0 * std::sin(x / 300.0);
    };
    const InterfaceFault fault(depth, 0.0, 0.0, 0.0);

    const Vec3 strike = fault.strike_direction({}, 20e3);

    EXPECT_NEAR(std::atan2(strike.x, strike.y) / kDegree, 30.0, 0.5);
}

TEST(InterfaceFault, FlatSurfaceTakesTheStrikeOfTheGrid) {
    const auto depth = [](double x, double) { return 10e3 - 0.01 * x; };
    const InterfaceFault fault(depth, 0.0, 0.0, 40.0 * kDegree);

    const Vec3 strike = fault.strike_direction({}, 5e3);

    expect_near(strike, {std::sin(40.0 * kDegree), std::cos(40.0 * kDegree), 0.0}, 1e-12);
}

TEST(InterfaceFault, NormalPointsUpAndAgainstTheDip) {
    const auto depth = [](double x, double) { return 10e3 + x; };
    const InterfaceFault fault(depth, 0.0, 0.0, 0.0);

    const Vec3 normal = fault.normal({});

    expect_near(normal, {std::sqrt(0.5), 0.0, std::sqrt(0.5)}, 1e-12);
}

}  // namespace
}  // namespace kaname::fault::fault_surface_test
