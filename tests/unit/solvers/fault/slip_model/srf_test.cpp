// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "tests/unit/solvers/fault/slip_model/slip_files.hpp"

namespace kaname::slip_model::srf_test {
namespace {

/// Two patches of 2 x 1 km side by side; slip of 40 cm and of (30, 40) cm.
const std::string kPlane =
    "PLANE 1\n"
    "  -118.5 34.2 2 1 4.0 1.0\n"
    "  90 60 5.0 -0.5 0.25\n";
const std::string kPoints =
    "POINTS 2\n"
    "-118.51 34.2 5.433 90 60 2.0e10 1.5 0.1\n"
    "85 40 4 0 0 0 0\n"
    "0 100\n"
    "200 100\n"
    "-118.49 34.2 5.433 90 60 2.0e10 2.5 0.1\n"
    "0 30 2 40 3 0 0\n"
    "200 100\n"
    "100 200 100\n";
const std::string kOne = "1.0\n" + kPlane + kPoints;

TEST(Srf, PointsArePatchesWithSeriesOfRates) {
    const SlipModel model = read_text("a.srf", kOne);

    EXPECT_EQ(model.format, SlipFormat::Srf);
    EXPECT_TRUE(model.geographic);
    EXPECT_TRUE(model.warnings.empty());
    ASSERT_EQ(model.patches.size(), 2u);
    const SlipPatch& first = model.patches[0];
    EXPECT_EQ(first.id, "1");
    EXPECT_EQ(first.lon_deg, -118.51);
    EXPECT_EQ(first.lat_deg, 34.2);
    EXPECT_DOUBLE_EQ(first.depth_m, 5433.0);
    EXPECT_DOUBLE_EQ(first.length_m, 2000.0);
    EXPECT_DOUBLE_EQ(first.width_m, 1000.0);
    EXPECT_EQ(first.strike_deg, 90.0);
    EXPECT_EQ(first.dip_deg, 60.0);
    EXPECT_DOUBLE_EQ(first.slip_m, 0.4);
    EXPECT_EQ(first.rake_deg, 85.0);
    EXPECT_EQ(first.rupture_time_s, 1.5);
    EXPECT_FALSE(first.moment_nm.has_value());
    ASSERT_EQ(first.rates.size(), 1u);
    EXPECT_EQ(first.rates[0].interval_s, 0.1);
    EXPECT_EQ(first.rates[0].rate_m_per_s, (std::vector<double>{0.0, 1.0, 2.0, 1.0}));

    const SlipPatch& second = model.patches[1];
    EXPECT_DOUBLE_EQ(second.slip_m, 0.5);
    EXPECT_NEAR(second.rake_deg, std::atan2(4.0, 3.0) * 180.0 / 3.14159265358979, 1e-12);
    ASSERT_EQ(second.rates.size(), 2u);
    EXPECT_EQ(second.rates[0].rake_deg, 0.0);
    EXPECT_DOUBLE_EQ(second.rates[0].slip_m, 0.3);
    EXPECT_EQ(second.rates[1].rake_deg, 90.0);
    EXPECT_DOUBLE_EQ(second.rates[1].slip_m, 0.4);
    EXPECT_EQ(second.rates[1].rate_m_per_s, (std::vector<double>{1.0, 2.0, 1.0}));
}

TEST(Srf, TheHypocentreIsCountedFromTheMiddleOfTheUpperEdge) {
    const SlipModel model = read_text("a.srf", kOne);

    // 0.5 km against the strike, which is east, and 0.25 km down a dip of 60 degrees to the south.
    ASSERT_TRUE(model.hypocentre.has_value());
    const double degree_m = 6378137.0 * 3.14159265358979 / 180.0;
    EXPECT_NEAR(model.hypocentre->lon_deg, -118.5 - 500.0 / (degree_m * 0.8277), 1e-4);
    EXPECT_NEAR(model.hypocentre->lat_deg, 34.2 - 125.0 / degree_m, 1e-5);
    EXPECT_NEAR(model.hypocentre->depth_m, 5000.0 + 250.0 * std::sqrt(0.75), 1e-6);
}

TEST(Srf, Version2HasRigidityAndABlockOfPointsPerPlane) {
    const SlipModel model = read_text(
        "a.srf",
        "2.0\n# made by hand\nPLANE 2\n10 45 1 1 1 1\n0 90 0 0.2 0.5\n10.1 45 1 1 1 1\n"
        "20 80 0 -999 -999\nPOINTS 1\n10 45 0.5 0 90 1e10 0 0.5 3.5e5 2.7\n180 100 3 0 0 0 0\n"
        "0 200 0\nPOINTS 1\n10.1 45 0.5 20 80 1e10 0 0.5 -1 -1\n180 0 0 0 0 0 0\n");

    ASSERT_EQ(model.patches.size(), 2u);
    EXPECT_NEAR(*model.patches[0].moment_nm, 2700.0 * 3500.0 * 3500.0 * 1e6, 1e6);
    EXPECT_EQ(model.patches[1].id, "2/1");
    EXPECT_EQ(model.patches[1].segment, 1);
    EXPECT_FALSE(model.patches[1].moment_nm.has_value());
    EXPECT_TRUE(model.patches[1].rates.empty());
    ASSERT_EQ(model.segments.size(), 2u);
    EXPECT_EQ(model.segments[1].strike_deg, 20.0);
}

TEST(Srf, WithoutPlanesPatchesAreSquare) {
    const SlipModel model = read_text("a.srf", "1.0\n" + kPoints);

    ASSERT_EQ(model.patches.size(), 2u);
    EXPECT_DOUBLE_EQ(model.patches[0].length_m, std::sqrt(2e6));
    EXPECT_DOUBLE_EQ(model.patches[0].area_m2(), 2e6);
    EXPECT_EQ(model.segments.size(), 1u);
    EXPECT_FALSE(model.hypocentre.has_value());
}

TEST(Srf, SeriesThatMissTheirSlipAreTold) {
    std::string text = kOne;
    text.replace(text.find("85 40 4"), 7, "85 44 4");
    const SlipModel model = read_text("a.srf", text);
    ASSERT_EQ(model.warnings.size(), 1u);
    EXPECT_EQ(model.warnings[0].substr(0, 17), "rates of 1 series");
    EXPECT_DOUBLE_EQ(model.patches[0].slip_m, 0.44);
}

TEST(Srf, RatesThatAreShapesOfAreaOneLeaveTheSlipThatIsStated) {
    std::string text = kOne;
    text.replace(text.find("0 100\n200 100\n"), 14, "0 2.5\n5 2.5\n");

    const SlipModel model = read_text("a.srf", text);

    EXPECT_DOUBLE_EQ(model.patches[0].slip_m, 0.4);
    ASSERT_EQ(model.warnings.size(), 1u);
    EXPECT_EQ(model.warnings[0],
              "rates of 1 series are shapes that add up to 1 cm; the slip is the one stated");
}

TEST(Srf, WhatBreaksTheFormatIsNamed) {
    const auto with = [](const std::string& old, const std::string& now) {
        std::string text = kOne;
        text.replace(text.find(old), old.size(), now);
        return refusal("a.srf", text);
    };
    EXPECT_EQ(with("1.0", "1.5"), "a.srf:1: version: '1.5', must be 1.0 or 2.0");
    EXPECT_EQ(with("POINTS 2", "POINTZ 2"),
              "a.srf:5: must begin with PLANE or POINTS, as no point is left to read");
    EXPECT_EQ(with("2.0e10 1.5 0.1", "2.0e10 1.5"),
              "a.srf:6: columns: 7, must be 8: LON LAT DEP STK DIP AREA TINIT DT");
    EXPECT_EQ(with("2.0e10 1.5", "0 1.5"), "a.srf:6: AREA: '0', must be > 0");
    EXPECT_EQ(with("1.5 0.1", "1.5 0"), "a.srf:6: DT: '0', must be > 0");
    EXPECT_EQ(with("200 100\n-118", "200 x\n-118"), "a.srf:9: SR1: 'x', must be a finite number");
    EXPECT_EQ(
        with("85 40 4 0 0", "85 40 0 0 0"),
        "a.srf:7: SLIP1: 40 cm, but its rates add up to 0 cm: rates must add up to more than 0 "
        "where there is slip");
    EXPECT_EQ(with("200 100\n-118", "200 100 7\n-118"),
              "a.srf:9: holds more numbers than NT1 + NT2 + NT3");
    EXPECT_EQ(with("100 200 100\n", "100 200"), "a.srf: ends before its SR2");
    EXPECT_EQ(with("2 1 4.0 1.0", "3 1 4.0 1.0"),
              "a.srf: POINTS: fewer than NSTK NDIP of all planes");
    EXPECT_EQ(with("2 1 4.0 1.0", "1 1 4.0 1.0"),
              "a.srf: POINTS: more than NSTK NDIP of all planes");
}

}  // namespace
}  // namespace kaname::slip_model::srf_test
