// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/surface_on_plan.hpp"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

namespace kaname::earth::surface_on_plan_test {
namespace {

constexpr HeightField::Grid kGrid{-100e3, -80e3, 2e3, 2e3, 101, 81};

std::vector<double> nodes_of(const std::function<double(double, double)>& z) {
    std::vector<double> values;
    for (int j = 0; j < kGrid.nv; ++j) {
        for (int i = 0; i < kGrid.nu; ++i) {
            values.push_back(z(kGrid.u0 + i * kGrid.spacing_u, kGrid.v0 + j * kGrid.spacing_v));
        }
    }
    return values;
}

double at(const std::vector<double>& z, int i, int j) {
    return z[static_cast<std::size_t>(j) * kGrid.nu + i];
}

TEST(HeightsBelow, APlaneIsShiftedAlongItsNormal) {
    // The plane's vertical distance is T / cos(dip), for balls smaller and larger than the spacing.
    for (const double slope : {0.1, 0.7}) {
        const HeightField base(kGrid, nodes_of([=](double u, double v) {
                                   return -50e3 - slope * (0.6 * u + 0.8 * v);
                               }));
        for (const double thickness : {500.0, 3e3, 25e3}) {
            const std::vector<double> z = heights_below(base, thickness, kGrid);

            const double expected = base.z(0.0, 0.0) - thickness * std::sqrt(1.0 + slope * slope);
            EXPECT_NEAR(at(z, 50, 40), expected, 1e-8 * thickness) << slope << " " << thickness;
        }
    }
}

TEST(HeightsBelow, ASphereGivesTheConcentricSphere) {
    // Dome of radius 200 km: the surface 30 km below it has radius 170 km.
    const double radius = 200e3;
    const HeightField base(kGrid, nodes_of([=](double u, double v) {
                               return std::sqrt(radius * radius - u * u - v * v) - 250e3;
                           }));

    const std::vector<double> z = heights_below(base, 30e3, kGrid);

    for (const auto& [i, j] : {std::pair{50, 40}, {70, 40}, {60, 20}, {40, 55}}) {
        const double u = kGrid.u0 + i * kGrid.spacing_u;
        const double v = kGrid.v0 + j * kGrid.spacing_v;
        const double inner = radius - 30e3;
        // The spline lies h^2 / 6 times the second derivative below its nodes: about 7 m.
        EXPECT_NEAR(at(z, i, j), std::sqrt(inner * inner - u * u - v * v) - 250e3, 15.0);
    }
}

TEST(HeightsBelow, StaysAHeightUnderABendSharperThanItsRadius) {
    // A ridge with straight limbs of slope 1: the limbs' planes meet under its crest.
    const HeightField base(kGrid, nodes_of([](double u, double) { return -20e3 - std::abs(u); }));

    const std::vector<double> z = heights_below(base, 30e3, kGrid);

    const double limb = 30e3 * std::sqrt(2.0);
    for (int i = 26; i <= 74; ++i) {
        const double u = std::abs(kGrid.u0 + i * kGrid.spacing_u);
        EXPECT_NEAR(at(z, i, 40), -20e3 - u - limb, 100.0) << u;
    }
}

}  // namespace
}  // namespace kaname::earth::surface_on_plan_test
