// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "tests/unit/solvers/fault/slip_model/slip_files.hpp"

namespace kaname::slip_model::csv_test {
namespace {

const std::string kHeader =
    "patch,lon_centre_deg,lat_centre_deg,depth_centre_km,length_km,width_km,strike_deg,dip_deg,"
    "rake_deg,slip_m\n";

TEST(PatchCsv, RowIsReadByTheNamesOfItsColumns) {
    const SlipModel model =
        read_text("a.csv", "# a comment\n" + kHeader + "7,143.5,38.25,10.5,25,20,201,9,87,31.0\n");

    EXPECT_EQ(model.format, SlipFormat::PatchCsv);
    EXPECT_EQ(model.name, "a");
    ASSERT_EQ(model.patches.size(), 1u);
    const SlipPatch& patch = model.patches[0];
    EXPECT_EQ(patch.id, "7");
    EXPECT_EQ(patch.lon_deg, 143.5);
    EXPECT_EQ(patch.lat_deg, 38.25);
    EXPECT_EQ(patch.depth_m, 10500.0);
    EXPECT_EQ(patch.length_m, 25000.0);
    EXPECT_EQ(patch.width_m, 20000.0);
    EXPECT_EQ(patch.strike_deg, 201.0);
    EXPECT_EQ(patch.dip_deg, 9.0);
    EXPECT_EQ(patch.rake_deg, 87.0);
    EXPECT_EQ(patch.slip_m, 31.0);
    EXPECT_EQ(patch.opening_m, 0.0);
    EXPECT_FALSE(patch.rupture_time_s);
}

TEST(PatchCsv, LocalFrameMetresAndOptionalColumns) {
    const SlipModel model = read_text(
        "a.csv",
        "slip_m,rake_deg,dip_deg,strike_deg,width_m,length_m,depth_centre_m,north_centre_km,"
        "east_centre_m,opening_m,rise_time_s\n1.5,-90,60,-10,2000,3000,4000,5,-600,0.25,8\n");

    EXPECT_FALSE(model.geographic);
    EXPECT_EQ(model.patches[0].north_m, 5000.0);
    EXPECT_EQ(model.patches[0].east_m, -600.0);
    EXPECT_EQ(model.patches[0].opening_m, 0.25);
    EXPECT_EQ(model.patches[0].rise_time_s, 8.0);
    EXPECT_EQ(model.patches[0].strike_deg, 350.0);
}

TEST(PatchCsv, PlanesBecomeSegments) {
    const SlipModel model =
        read_text("a.csv", kHeader + "1,0,0,5,10,10,0,30,0,1\n2,0,0.09,5,10,10,359.5,30,0,1\n" +
                               "3,0.1,0,9,10,10,0,45,0,1\n");

    ASSERT_EQ(model.segments.size(), 2u);
    EXPECT_EQ(model.patches[1].segment, 0);
    EXPECT_EQ(model.patches[2].segment, 1);
    EXPECT_EQ(model.segments[1].dip_deg, 45.0);
}

TEST(PatchCsv, FaultsAreNamedWithLineAndRule) {
    EXPECT_EQ(refusal("a.csv", kHeader), "a.csv: holds no row");
    EXPECT_EQ(refusal("a.csv", kHeader + "1,0,0,5,10,10,0,30,0\n"),
              "a.csv:2: columns: 9, must be 10 as in the header");
    EXPECT_EQ(refusal("a.csv", kHeader + "1,0,0,5,10,ten,0,30,0,1\n"),
              "a.csv:2: width_km: 'ten', must be a finite number");
    EXPECT_EQ(refusal("a.csv", kHeader + "1,0,0,5,10,10,0,30,0,-1\n"),
              "a.csv:2: slip: '-1', m must be from 0 to 100 m (opposite slip has rake + 180; are "
              "the units right?)");
    EXPECT_EQ(refusal("a.csv", kHeader + "1,0,0,5e6,10,10,0,30,0,1\n"),
              "a.csv:2: depth: '5e+09', m must be from -9 km (depth counts down from sea level) to "
              "800 km");
    EXPECT_NE(refusal("a.csv", "strike_deg,slip_cm\n1,2\n")
                  .find("a.csv:1: column: 'slip_cm', must "
                        "be one of patch,"),
              std::string::npos);
    EXPECT_EQ(refusal("a.csv", "strike_deg,strike_deg\n1,2\n"),
              "a.csv:1: column: 'strike_deg', is there twice");
    EXPECT_EQ(refusal("a.csv", "lon_centre_deg,strike_deg\n1,2\n"),
              "a.csv:1: column lat_centre_deg is missing");
}

TEST(CornerCsv, FirstPatchOfMauleAsInTheFile) {
    const SlipModel model = read_slip_model(real_file("maule2010_usgs.csv"));

    EXPECT_EQ(model.format, SlipFormat::CornerCsv);
    ASSERT_EQ(model.patches.size(), 236u);
    const SlipPatch& first = model.patches[0];
    // Means of -73.5768 -73.4874 -73.3089 -73.3978, -36.4663 -36.2533 -36.303 -36.5161, 16.9937
    // and 22.3313.
    EXPECT_NEAR(first.lon_deg, -73.442725, 1e-9);
    EXPECT_NEAR(first.lat_deg, -36.384675, 1e-9);
    EXPECT_NEAR(first.depth_m, 19662.5, 1e-6);
    EXPECT_EQ(first.rake_deg, 122.9948);
    EXPECT_EQ(first.slip_m, 6.3921);
    EXPECT_EQ(first.rupture_time_s, 16.0);
    EXPECT_EQ(first.rise_time_s, 6.0);
    EXPECT_EQ(first.moment_nm, 1.13e20);
    // 5.3376 km deeper over 16.94 km; edges of 0.2130 degrees north and 0.0894 degrees east.
    EXPECT_NEAR(first.dip_deg, 17.5, 0.05);
    EXPECT_NEAR(first.strike_deg, 18.7, 0.1);
    EXPECT_NEAR(first.length_m, 24950.0, 30.0);
    EXPECT_NEAR(first.width_m, 17760.0, 30.0);
}

TEST(CornerCsv, PlanesOfMauleBecomeSegments) {
    const SlipModel model = read_slip_model(real_file("maule2010_usgs.csv"));

    ASSERT_EQ(model.segments.size(), 5u);
    for (const SlipSegment& segment : model.segments) {
        const bool north = std::abs(segment.strike_deg - 18.7) < 0.2;
        const bool south = std::abs(segment.strike_deg - 8.7) < 0.2;
        EXPECT_TRUE(north || south) << segment.strike_deg;
    }
}

}  // namespace
}  // namespace kaname::slip_model::csv_test
