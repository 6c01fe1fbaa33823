// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/height_field.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"

namespace kaname::earth::height_field_test {
namespace {

constexpr HeightField::Grid kGrid{-3000.0, 500.0, 1000.0, 400.0, 7, 9};

template <typename Function>
HeightField sampled(const Function& z) {
    std::vector<double> values;
    for (int j = 0; j < kGrid.nv; ++j) {
        for (int i = 0; i < kGrid.nu; ++i) {
            values.push_back(z(kGrid.u0 + i * kGrid.spacing_u, kGrid.v0 + j * kGrid.spacing_v));
        }
    }
    return {kGrid, values};
}

double bumpy(double u, double v) {
    return 700.0 * std::sin(1.7e-3 * u) * std::cos(2.1e-3 * v) - 300.0;
}

TEST(HeightField, ConstantIsTheSameEverywhere) {
    const HeightField field(-35e3);

    const HeightField::Slope slope = field.slope(1e6, -2e6);

    EXPECT_TRUE(field.constant());
    EXPECT_EQ(field.z(3.0, 4.0), -35e3);
    EXPECT_EQ(slope.z, -35e3);
    EXPECT_EQ(slope.dz_du, 0.0);
    EXPECT_EQ(field.lowest(), field.highest());
}

TEST(HeightField, MeetsAPlaneUpToTheEdges) {
    const auto plane = [](double u, double v) { return 12.0 + 0.3 * u - 0.2 * v; };
    const HeightField field = sampled(plane);

    for (double u = -3000.0; u <= 3000.0; u += 333.0) {
        for (double v = 500.0; v <= 3700.0; v += 177.0) {
            const HeightField::Slope slope = field.slope(u, v);
            ASSERT_NEAR(field.z(u, v), plane(u, v), 1e-9);
            ASSERT_NEAR(slope.dz_du, 0.3, 1e-12);
            ASSERT_NEAR(slope.dz_dv, -0.2, 1e-12);
        }
    }
}

TEST(HeightField, WeightsOfTheNodesSumToOne) {
    // With one at every node the spline is the sum of the weights.
    const HeightField ones = sampled([](double, double) { return 1.0; });

    for (double u = -3500.0; u <= 3500.0; u += 91.0) {
        for (double v = 0.0; v <= 4200.0; v += 83.0) {
            ASSERT_NEAR(ones.z(u, v), 1.0, 1e-14);
        }
    }
}

TEST(HeightField, SlopeIsTheDerivative) {
    const HeightField field = sampled(bumpy);
    const double h = 0.5;

    for (double u = -2950.0; u < 2990.0; u += 173.0) {
        for (double v = 520.0; v < 3690.0; v += 111.0) {
            const HeightField::Slope slope = field.slope(u, v);
            ASSERT_EQ(slope.z, field.z(u, v));
            // The third derivative of the spline is below 2e-5 / m^2: h^2 / 6 of that.
            ASSERT_NEAR(slope.dz_du, (field.z(u + h, v) - field.z(u - h, v)) / (2.0 * h), 2e-6);
            ASSERT_NEAR(slope.dz_dv, (field.z(u, v + h) - field.z(u, v - h)) / (2.0 * h), 2e-6);
        }
    }
}

TEST(HeightField, IsTwiceDifferentiableAcrossANode) {
    const HeightField field = sampled(bumpy);
    const double node = kGrid.u0 + 2 * kGrid.spacing_u;
    const double h = 1.0;
    const auto curvature = [&](double u) {
        return (field.z(u + h, 1337.0) - 2.0 * field.z(u, 1337.0) + field.z(u - h, 1337.0)) /
               (h * h);
    };

    EXPECT_GT(std::abs(curvature(node)), 1e-4);
    EXPECT_NEAR(curvature(node - 2.0 * h), curvature(node + 2.0 * h),
                0.02 * std::abs(curvature(node)));
}

TEST(HeightField, NeverLeavesTheRangeOfItsValues) {
    // Alternating extremes, also along the edges, where the spline has fewer nodes.
    const HeightField field = sampled([](double u, double v) {
        const long i = std::lround((u - kGrid.u0) / kGrid.spacing_u);
        const long j = std::lround((v - kGrid.v0) / kGrid.spacing_v);
        return (i + j) % 2 == 0 ? 1.0 : -1.0;
    });

    for (double u = -3200.0; u <= 3200.0; u += 37.0) {
        for (double v = 300.0; v <= 3900.0; v += 29.0) {
            ASSERT_LE(std::abs(field.z(u, v)), 1.0 + 1e-12) << u << " " << v;
        }
    }
    EXPECT_EQ(field.lowest(), -1.0);
    EXPECT_EQ(field.highest(), 1.0);
}

TEST(HeightField, OutsideItHasItsEdgesValueAndIsLevelAcross) {
    const HeightField field = sampled(bumpy);

    const HeightField::Slope east = field.slope(5000.0, 1234.0);
    const HeightField::Slope corner = field.slope(-9000.0, 9000.0);

    EXPECT_EQ(east.z, field.z(3000.0, 1234.0));
    EXPECT_EQ(east.dz_du, 0.0);
    EXPECT_EQ(east.dz_dv, field.slope(3000.0, 1234.0).dz_dv);
    EXPECT_NE(east.dz_dv, 0.0);
    EXPECT_EQ(corner.z, field.z(-3000.0, 3700.0));
    EXPECT_EQ(corner.dz_dv, 0.0);
}

TEST(HeightField, RefusesWhatIsNoGrid) {
    const std::vector<double> sixteen(16, 0.0);
    std::vector<double> gap = sixteen;
    gap[6] = std::numeric_limits<double>::quiet_NaN();

    EXPECT_THROW(HeightField({0, 0, 1, 1, 3, 5}, std::vector<double>(15)), Error);
    EXPECT_THROW(HeightField({0, 0, 1, 1, 4, 5}, sixteen), Error);
    EXPECT_THROW(HeightField({0, 0, 0, 1, 4, 4}, sixteen), Error);
    EXPECT_THROW(HeightField({0, 0, 1, 1, 4, 4}, gap), Error);
    EXPECT_THROW(HeightField(std::numeric_limits<double>::infinity()), Error);
}

TEST(HeightField, AStretchedGridMeetsAPlaneAndItsSlopeWhereNodesAreEven) {
    HeightField::Grid grid{-100e3, -100e3, 4e3, 4e3, 61, 61};
    grid.stretch_u = {-20e3, 30e3, 50e3};
    grid.stretch_v = {-60e3, 60e3, 50e3};
    const auto height = [](double u, double v) { return 0.1 * u - 0.05 * v; };
    std::vector<double> z;
    for (int j = 0; j < grid.nv; ++j) {
        for (int i = 0; i < grid.nu; ++i) {
            z.push_back(height(grid.u(i), grid.v(j)));
        }
    }
    const HeightField field(grid, z);

    EXPECT_GT(grid.u(60), 200e3);  // 140 km without
    EXPECT_NEAR(grid.column(grid.u(57)), 57.0, 1e-9);
    EXPECT_NEAR(field.z(5e3, 12e3), height(5e3, 12e3), 1e-6);
    EXPECT_NEAR(field.slope(5e3, 12e3).dz_du, 0.1, 1e-12);
    // A sixth of the second differences of the nodes' places, times the slope.
    EXPECT_NEAR(field.z(120e3, 12e3), height(120e3, 12e3), 50.0);
    EXPECT_NEAR(field.slope(120e3, 12e3).dz_du, 0.1, 1e-3);
}

}  // namespace
}  // namespace kaname::earth::height_field_test
