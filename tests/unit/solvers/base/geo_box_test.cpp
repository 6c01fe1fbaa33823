// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/geo_box.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/base/units.hpp"
#include "tests/support/overlap.hpp"

namespace kaname::geo_box_test {
namespace {

using test::overlap;

constexpr double kRadius_km = 6371.0;

/// Between two points, by the angle of their unit vectors.
double between_km(const GeoPoint& a, const GeoPoint& b) {
    const auto unit = [](const GeoPoint& p) {
        const double lon = p.lon_deg * kDegree, lat = p.lat_deg * kDegree;
        return std::array{std::cos(lat) * std::cos(lon), std::cos(lat) * std::sin(lon),
                          std::sin(lat)};
    };
    const auto u = unit(a), v = unit(b);
    const double dot = u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
    const double x = u[1] * v[2] - u[2] * v[1], y = u[2] * v[0] - u[0] * v[2],
                 z = u[0] * v[1] - u[1] * v[0];
    return kRadius_km * std::atan2(std::sqrt(x * x + y * y + z * z), dot);
}

TEST(GeoBox, AnEastBelowTheWestLiesBehindTheDateLine) {
    EXPECT_EQ(make_geo_box(170, -5, -170, 5), (GeoBox{170, -5, 190, 5}));
    EXPECT_EQ(make_geo_box(200, 0, 210, 1), (GeoBox{-160, 0, -150, 1}));
    EXPECT_EQ(make_geo_box(-180, -90, 180, 90), (GeoBox{-180, -90, 180, 90}));
    EXPECT_EQ(make_geo_box(180, 0, 180, 0), (GeoBox{-180, 0, -180, 0}));
}

TEST(GeoBox, TakesTheNarrowWayAroundItsPoints) {
    EXPECT_EQ(geo_box_of({}), std::nullopt);
    const std::vector<GeoPoint> fiji = {{179, -18}, {-178, -17}, {181, -19}};
    EXPECT_EQ(geo_box_of(fiji), (GeoBox{179, -19, 182, -17}));
    const std::vector<GeoPoint> nankai = {{137, 34}, {133, 32}};
    EXPECT_EQ(geo_box_of(nankai), (GeoBox{133, 32, 137, 34}));
    const std::vector<GeoPoint> greenwich = {{359, 51}, {1, 52}};
    EXPECT_EQ(geo_box_of(greenwich), (GeoBox{-1, 51, 1, 52}));
}

TEST(GeoBox, BoxesOverlapAcrossTheDateLine) {
    const GeoBox fiji{179, -19, 182, -17};
    EXPECT_TRUE(overlap(fiji, make_geo_box(-179, -18, -170, 0)));
    EXPECT_TRUE(overlap(make_geo_box(-179, -18, -170, 0), fiji));
    EXPECT_TRUE(overlap(fiji, {-180, -90, 180, 90}));
    EXPECT_FALSE(overlap(fiji, make_geo_box(-177, -18, -170, 0)));
    EXPECT_FALSE(overlap(fiji, make_geo_box(170, -18, 178, 0)));
    EXPECT_FALSE(overlap(fiji, make_geo_box(170, -16, 190, 0)));
    EXPECT_TRUE(overlap(fiji, make_geo_box(182, -17, 183, 0))) << "a corner";
}

TEST(GeoBox, DistanceIsThatToItsNearestPoint) {
    std::mt19937 random(20);
    const auto draw = [&](double low, double high) {
        return std::uniform_real_distribution(low, high)(random);
    };
    constexpr int kSteps = 120;
    for (int turn = 0; turn < 300; ++turn) {
        const double south = draw(-90, 89), west = draw(-180, 180);
        const GeoBox box = make_geo_box(west, south, west + std::pow(10, draw(-1, 2.5)),
                                        std::min(90.0, south + draw(0, 40)));
        const GeoPoint point{draw(-180, 360), draw(-90, 90)};
        double nearest = 1e9;
        for (int i = 0; i <= kSteps; ++i) {
            for (int k = 0; k <= kSteps; ++k) {
                const double u = double(i) / kSteps, v = double(k) / kSteps;
                nearest = std::min(
                    nearest,
                    between_km(point, {box.west_deg + u * (box.east_deg - box.west_deg),
                                       box.south_deg + v * (box.north_deg - box.south_deg)}));
            }
        }
        const double found = distance_km(point, box);
        // The grid has no point just where the nearest place is.
        const double coarse = kRadius_km * kDegree *
                              std::max(box.east_deg - box.west_deg, box.north_deg - box.south_deg) /
                              kSteps;
        EXPECT_LE(found, nearest + 1e-6) << "turn " << turn;
        EXPECT_GE(found, nearest - coarse) << "turn " << turn;
        const GeoBox around = geo_box_around(point, found + 1e-6);
        EXPECT_TRUE(overlap(around, box)) << "turn " << turn << ": within the distance";
    }
}

TEST(GeoBox, TheBoxAroundAPoleHasAllLongitudes) {
    EXPECT_EQ(geo_box_around({10, 89}, 200).west_deg, -180);
    EXPECT_EQ(geo_box_around({10, 89}, 200).north_deg, 90);
    EXPECT_NEAR(geo_box_around({10, 0}, kRadius_km * kDegree).east_deg, 11, 1e-9);
}

}  // namespace
}  // namespace kaname::geo_box_test
