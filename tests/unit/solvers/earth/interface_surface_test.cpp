// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/interface_surface.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"

#ifdef KANAME_HAVE_PROJ

namespace kaname::earth::interface_surface_test {
namespace {

constexpr double kKm = 1000.0;

/// Dips north at 0.3 km per 0.01 degree of latitude from 6 km at 33 N; data 134..136 E, 33..35 N.
GriddedSurface dipping() {
    GriddedSurface surface{134.0, 33.0, 0.05, 0.05, 41, 41, {}};
    for (int j = 0; j < 41; ++j) {
        for (int i = 0; i < 41; ++i) {
            surface.depth_m.push_back(6.0 * kKm + 1.5 * kKm * j);
        }
    }
    return surface;
}

class DippingInterface : public testing::Test {
protected:
    Projection projection{{135.0, 34.0}};
    InterfaceSurface surface{dipping(), projection, {8.0 * kKm, 50.0 * kKm, 0.0, 400.0 * kKm}};

    [[nodiscard]] double depth(double lon, double lat) const {
        const MapPoint p = projection.forward({lon, lat});
        return surface.depth_m(p.x_m, p.y_m);
    }
    [[nodiscard]] bool has_data(double lon, double lat) const {
        const MapPoint p = projection.forward({lon, lat});
        return surface.has_data(p.x_m, p.y_m);
    }
};

TEST_F(DippingInterface, FollowsDataBetweenTheLimits) {
    for (const double lat : {33.3, 33.7, 34.1}) {
        EXPECT_NEAR(depth(135.0, lat), 6.0 * kKm + (lat - 33.0) * 30.0 * kKm, 30.0) << lat;
        EXPECT_TRUE(has_data(135.0, lat));
    }
}

TEST_F(DippingInterface, HeadsForTheLimitsBeyondTheData) {
    EXPECT_NEAR(depth(135.0, 32.9), 8.0 * kKm, 150.0);
    EXPECT_NEAR(depth(135.0, 32.5), 8.0 * kKm, 700.0);
    EXPECT_NEAR(depth(135.0, 35.3), 50.0 * kKm, 700.0);
    EXPECT_FALSE(has_data(135.0, 32.9));
    EXPECT_FALSE(has_data(135.0, 34.9));
}

TEST_F(DippingInterface, StaysInLimitsWithoutCliffsOrKinks) {
    const double h = 500.0;
    double steepest = 0.0;
    double sharpest = 0.0;
    for (double y = -400.0 * kKm; y <= 400.0 * kKm; y += 7.3 * kKm) {
        for (double x = -400.0 * kKm; x <= 400.0 * kKm; x += 7.3 * kKm) {
            const double here = surface.depth_m(x, y);
            ASSERT_GE(here, 8.0 * kKm - 1e-6);
            ASSERT_LE(here, 50.0 * kKm + 1e-6);
            for (const auto& [dx, dy] : {std::pair{h, 0.0}, std::pair{0.0, h}}) {
                const double ahead = surface.depth_m(x + dx, y + dy);
                const double behind = surface.depth_m(x - dx, y - dy);
                steepest = std::max(steepest, std::abs(ahead - behind) / (2.0 * h));
                sharpest = std::max(sharpest, std::abs(ahead - 2.0 * here + behind) / (h * h));
            }
        }
    }

    const double data_slope = 30.0 * kKm / 110.9e3;
    EXPECT_GT(steepest, 0.9 * data_slope);
    EXPECT_LT(sharpest, data_slope / (4.0 * kKm));  // bends over a cell or more
    EXPECT_GT(std::tan(surface.steepest().dip_rad), 0.99 * steepest);
    EXPECT_LT(std::tan(surface.steepest().dip_rad), 1.6 * data_slope);
}

TEST_F(DippingInterface, ReportsExtendedFraction) {
    // Data within the limits: 2 degrees of longitude (185 km) by 1.4 of latitude (155 km).
    EXPECT_NEAR(1.0 - surface.extended_fraction(), 185.0 * 155.0 / (800.0 * 800.0), 0.003);
}

TEST(InterfaceSurface, SmoothingKeepsAPlaneAndRemovesNoise) {
    GriddedSurface noisy = dipping();
    for (std::size_t at = 0; at < noisy.depth_m.size(); ++at) {
        noisy.depth_m[at] += at % 2 == 0 ? 800.0 : -800.0;
    }
    const Projection projection({135.0, 34.0});

    const InterfaceSurface surface(noisy, projection,
                                   {8.0 * kKm, 50.0 * kKm, 10.0 * kKm, 400.0 * kKm});

    const MapPoint p = projection.forward({135.0, 33.72});
    EXPECT_NEAR(surface.depth_m(p.x_m, p.y_m), 6.0 * kKm + 0.72 * 30.0 * kKm, 60.0);
}

TEST(InterfaceSurface, NamesBothBoxesWhenTheyDoNotOverlap) {
    const Projection projection({20.0, 10.0});

    try {
        InterfaceSurface(dipping(), projection, {8.0 * kKm, 50.0 * kKm, 0.0, 100.0 * kKm});
        FAIL() << "no error";
    } catch (const Error& error) {
        const std::string text = error.what();
        EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
        EXPECT_NE(text.find("longitude 134.00..136.00, latitude 33.00..35.00"), std::string::npos)
            << text;
        EXPECT_NE(text.find("longitude 19.0"), std::string::npos) << text;
    }
}

TEST(InterfaceSurface, RefusesLimitsInWrongOrder) {
    const Projection projection({135.0, 34.0});

    EXPECT_THROW(InterfaceSurface(dipping(), projection, {50.0 * kKm, 8.0 * kKm, 0.0, 1e5}), Error);
    EXPECT_THROW(InterfaceSurface(dipping(), projection, {8.0 * kKm, 50.0 * kKm, -1.0, 1e5}),
                 Error);
}

}  // namespace
}  // namespace kaname::earth::interface_surface_test

#endif
