// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/slip_table.hpp"

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kaname::fault::slip_table_test {
namespace {

class SlipTableFile : public testing::Test {
protected:
    std::string write(const std::string& text) const {
        const std::string path = (folder_.path() / "slip.csv").string();
        write_file(path, text);
        return path;
    }
    std::string error_of(const std::string& text) const {
        try {
            (void)read_slip_table(write(text));
        } catch (const Error& error) {
            const std::string what = error.what();
            const std::size_t name = what.find("slip.csv");
            return name == std::string::npos ? what : what.substr(name);
        }
        return "no error";
    }
    TemporaryFolder folder_;
};

TEST_F(SlipTableFile, ReadsVectorsByHand) {
    const SlipTable table =
        read_slip_table(write("# of a fault\n"
                              "z_m, y_m, x_km, note, slip_up_cm, slip_east_m, slip_north_m\n"
                              "-3000, 20.5, 1.25, top, -40, 2.5, +1e-1\r\n"
                              "\n"
                              "-4000, 21.5, 1.5, rim, 0, 0, 0\n"));

    EXPECT_FALSE(table.geographic);
    EXPECT_FALSE(table.by_components);
    ASSERT_EQ(table.places.size(), 2u);
    EXPECT_EQ(table.places[0], (Vec3{1250.0, 20.5, -3000.0}));
    EXPECT_EQ(table.slip[0], (Vec3{2.5, 0.1, -0.4}));
    EXPECT_EQ(table.places[1], (Vec3{1500.0, 21.5, -4000.0}));
    EXPECT_EQ(table.lines, (std::vector<int>{3, 5}));
}

TEST_F(SlipTableFile, ReadsComponentsAtGeographicPlacesByHand) {
    const SlipTable table = read_slip_table(
        write("lon_deg,lat_deg,depth_km,strike_slip_m,dip_slip_m\n142.5,38.25,12,-0.5,7\n"));

    EXPECT_TRUE(table.geographic);
    EXPECT_TRUE(table.by_components);
    ASSERT_EQ(table.places.size(), 1u);
    EXPECT_EQ(table.places[0], (Vec3{142.5, 38.25, -12000.0}));
    EXPECT_EQ(table.slip[0], (Vec3{-0.5, 7.0, 0.0}));
}

TEST_F(SlipTableFile, NamesEveryBadRow) {
    const std::string header = "x_m,y_m,z_m,strike_slip_m,dip_slip_m\n";
    EXPECT_EQ(error_of(header + "1,2,3,4\n1,2,3,4,inf\n1,2,3,,5\n").substr(0, 200),
              "slip.csv:2: row has 4 cells, the header has 5\n" + folder_.path().string() +
                  "/slip.csv:3: must be a finite number, got 'inf'\n" + folder_.path().string() +
                  "/slip.csv:4: must be a finite number, got ''");
    EXPECT_EQ(error_of(header), "slip.csv:1: has no row of slip");
    EXPECT_EQ(error_of("x_m,y_m,strike_slip_m,dip_slip_m\n"),
              "slip.csv:1: header must name one of the columns z_m (up) and depth_m (down)");
    EXPECT_EQ(error_of("x_m,y_m,z_m,strike_slip_m\n"),
              "slip.csv:1: header must name the columns slip_east_m, slip_north_m, slip_up_m or "
              "strike_slip_m, dip_slip_m");
    EXPECT_EQ(error_of("x,y_m,z_m,strike_slip_m,dip_slip_m\n"),
              "slip.csv:1: header must name the columns x_m, y_m or lon_deg, lat_deg");
    EXPECT_EQ(error_of("lon_deg,lat_deg,depth_m,strike_slip_m,dip_slip_m\n10,95,0,1,1\n"),
              "slip.csv:2: lon_deg must be in -360..360 and lat_deg in -90..90");
    EXPECT_THROW((void)read_slip_table(support::absent("slip.csv")), Error);
}

}  // namespace
}  // namespace kaname::fault::slip_table_test
