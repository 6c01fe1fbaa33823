// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/slip_model/slip_points.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"

namespace kaname::slip_model {
namespace {

SlipPoints read(const std::string& text) {
    const TemporaryFolder folder;
    write_file(folder.path() / "points.csv", text);
    return read_slip_points(folder.path() / "points.csv");
}

std::string refusal(const std::string& text) {
    try {
        (void)read(text);
    } catch (const Error& error) {
        const std::string what = error.what();
        return what.substr(what.find("points.csv"));
    }
    return {};
}

TEST(SlipPoints, ComponentsAtPlacesOnTheGlobe) {
    const SlipPoints table = read(
        "lon_deg,lat_deg,depth_m,strike_slip_m,dip_slip_m,opening_m\n23.5,36.25,12000,-1,2,0.5\n");

    ASSERT_EQ(table.points.size(), 1u);
    EXPECT_TRUE(table.geographic);
    EXPECT_TRUE(table.components);
    const SlipPoint& point = table.points[0];
    EXPECT_EQ(point.lon_deg, 23.5);
    EXPECT_EQ(point.lat_deg, 36.25);
    EXPECT_EQ(point.depth_m, 12000.0);
    EXPECT_EQ(point.strike_slip_m, -1.0);
    EXPECT_EQ(point.dip_slip_m, 2.0);
    EXPECT_EQ(point.opening_m, 0.5);
}

TEST(SlipPoints, RakeZeroIsLeftLateralNinetyReverse) {
    const SlipPoints table =
        read("slip_m,rake_deg,depth_km,lat_deg,lon_deg\n2,0,1,0,0\n2,90,1,0,0\n");

    EXPECT_EQ(table.points[0].strike_slip_m, 2.0);
    EXPECT_EQ(table.points[0].dip_slip_m, 0.0);
    EXPECT_NEAR(table.points[1].strike_slip_m, 0.0, 1e-15);
    EXPECT_EQ(table.points[1].dip_slip_m, 2.0);
    EXPECT_EQ(table.points[1].depth_m, 1000.0);
}

TEST(SlipPoints, VectorsInTheModelFrameWithHeight) {
    const SlipPoints table =
        read("x_m,y_m,z_m,slip_east_m,slip_north_m,slip_up_m\n100,-200,-3000,25,25,-10\n");

    EXPECT_FALSE(table.geographic);
    EXPECT_FALSE(table.components);
    EXPECT_EQ(table.points[0].x_m, 100.0);
    EXPECT_EQ(table.points[0].y_m, -200.0);
    EXPECT_EQ(table.points[0].depth_m, 3000.0);
    EXPECT_EQ(table.points[0].slip_m, (Vec3{25.0, 25.0, -10.0}));
}

TEST(SlipPoints, TrueNorthTurnsIntoTheMap) {
    const SlipPoints table =
        read("lon_deg,lat_deg,depth_m,slip_east_m,slip_north_m,slip_up_m\n145,38,2000,0,1,-3\n");
    const earth::Projection projection({140.0, 38.0});

    const PlacedPoint placed = place(table, &projection)[0];

    // A short way north on the globe has the direction of the vector.
    const earth::MapPoint here = projection.forward({145.0, 38.0});
    const earth::MapPoint north = projection.forward({145.0, 38.001});
    const double way = std::hypot(north.x_m - here.x_m, north.y_m - here.y_m);
    EXPECT_NEAR(placed.slip_m.x, (north.x_m - here.x_m) / way, 1e-4);
    EXPECT_NEAR(placed.slip_m.y, (north.y_m - here.y_m) / way, 1e-4);
    EXPECT_GT(std::abs(placed.slip_m.x), 0.03);
    EXPECT_EQ(placed.slip_m.z, -3.0);
    EXPECT_EQ(placed.x.z, -2000.0);
    EXPECT_THROW((void)place(table, nullptr), Error);
}

TEST(SlipPoints, FaultsAreNamedWithLineAndRule) {
    EXPECT_EQ(refusal("lon_deg,lat_deg,depth_m,strike_slip_m,dip_slip_m\n1,2,3,4,500\n"),
              "points.csv:2: dip_slip_m: '500', must be from -100 to 100 m (are the units right?)");
    EXPECT_EQ(refusal("lon_deg,lat_deg,depth_m\n1,2,3\n"),
              "points.csv: columns: must be either strike_slip_m, dip_slip_m, or slip_m, rake_deg, "
              "or slip_east_m, slip_north_m, slip_up_m");
    EXPECT_EQ(refusal("lon_deg,lat_deg,depth_m,strike_slip_m\n1,2,3,4\n"),
              "points.csv:1: column dip_slip_m is missing");
    EXPECT_EQ(refusal("lon_deg,lat_deg,depth_m,depth_km,slip_m,rake_deg\n1,2,3,4,5,6\n"),
              "points.csv:1: must have one of the columns depth_km and depth_m");
}

}  // namespace
}  // namespace kaname::slip_model
