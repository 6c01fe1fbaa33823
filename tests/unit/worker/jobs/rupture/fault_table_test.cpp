// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/rupture/fault_table.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/h5/file.hpp"

namespace kaname::jobs::fault_table_test {
namespace {

class FaultTables : public testing::Test {
protected:
    FaultTable of(const std::string& text) {
        write_file(path_, text);
        return FaultTable::read(path_.string());
    }
    void expect_refused(const std::string& text, const std::string& part) {
        try {
            (void)of(text);
            FAIL() << "expected: " << part;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
        }
    }
    TemporaryFolder folder_;
    std::filesystem::path path_ = folder_.path() / "table.csv";
};

TEST_F(FaultTables, AreBilinearOnUnevenGrids) {
    // strike = 10 along + 2 down - along down, in km and MPa, which bilinear cells meet.
    FaultTable table =
        of("down_km,along_km,strike_mpa,forced_rupture_s\n"
           "0,0,0,1e9\n0,1,10,1e9\n0,4,40,1e9\n2,0,4,1\n2,1,12,1\n2,4,36,1\n");
    EXPECT_FALSE(table.down_is_depth());
    EXPECT_NEAR(table.at(2500.0, 500.0)[FaultNumber::Strike], (25.0 + 1.0 - 1.25) * 1e6, 1.0);
    EXPECT_EQ(table.at(1000.0, 2000.0)[FaultNumber::ForcedRupture], 1.0);
    EXPECT_NEAR(table.at(9000.0, -5.0)[FaultNumber::Strike], 40e6, 1.0) << "beyond: the edge's";
    EXPECT_TRUE(table.covers(4000.0, 2000.0, 0.0));
    EXPECT_TRUE(table.covers(4050.0, 2000.0, 100.0));
    EXPECT_FALSE(table.covers(4150.0, 2000.0, 100.0));
    EXPECT_EQ(table.extent(), "along 0 to 4000 m, down 0 to 2000 m");
    table.flip_strike();
    EXPECT_NEAR(table.at(1000.0, 0.0)[FaultNumber::Strike], -10e6, 1.0);
}

TEST_F(FaultTables, KnowTheNamesOfTpv16) {
    const FaultTable table =
        of("along_strike_m,depth_m,shear_strike_MPa,shear_updip_MPa,normal_MPa,mu_static,"
           "mu_dynamic,slip_weakening_distance_m,cohesion_MPa,forced_rupture_time_s\n"
           "-75,0,-25,3,-60,0.677,0.373,0.4,4,1e+09\n75,0,-25,3,-60,0.677,0.373,0.4,4,0.5\n"
           "-75,75,-25,3,-60,0.677,0.373,0.4,4,1e+09\n75,75,-25,3,-60,0.677,0.373,0.4,4,0.5\n");
    EXPECT_TRUE(table.down_is_depth());
    SomeNumbers n = table.at(75.0, 40.0);
    EXPECT_EQ(n.size(), 8U);
    EXPECT_EQ(n[FaultNumber::Strike], -25e6) << "left-lateral is positive there, too";
    EXPECT_EQ(n[FaultNumber::Dip], -3e6) << "up dip is against down dip";
    EXPECT_EQ(n[FaultNumber::Normal], -60e6);
    EXPECT_EQ(n[FaultNumber::Cohesion], 4e6);
    EXPECT_EQ(n[FaultNumber::ForcedRupture], 0.5);
    EXPECT_EQ(n[FaultNumber::WeakeningSlip], 0.4);
}

TEST_F(FaultTables, WithGapsDoNotCover) {
    const FaultTable table =
        of("along_m,down_m,a\n0,0,0.01\n100,0,nan\n0,100,0.01\n100,100,0.01\n200,0,0.01\n"
           "200,100,0.01\n");
    EXPECT_FALSE(table.covers(50.0, 0.0, 0.0));
    EXPECT_TRUE(table.covers(0.0, 50.0, 0.0)) << "on the side of a cell whose far node is a gap";
    EXPECT_TRUE(table.covers(150.0, 100.0, 0.0));
}

TEST_F(FaultTables, AreReadFromNetcdf) {
    const std::string path = (folder_.path() / "table.nc").string();
    {
        h5::File file(path, h5::File::Mode::Create);
        file.write<double>("along_m", std::vector<double>{0.0, 100.0, 200.0}, {3});
        file.write<double>("depth_km", std::vector<double>{0.0, 1.0}, {2});
        file.write<double>("strike_mpa", std::vector<double>{1, 2, 3, 4, 5, 6}, {2, 3});
        file.close();
    }
    const FaultTable table = FaultTable::read(path);
    EXPECT_TRUE(table.down_is_depth());
    EXPECT_NEAR(table.at(150.0, 500.0)[FaultNumber::Strike], 4e6, 1e-3);
}

TEST_F(FaultTables, ThatAreNoneAreRefused) {
    expect_refused("along_m,strike_mpa\n0,1\n", "one of down_m and depth_m");
    expect_refused("along_m,down_m,depth_m,a\n0,0,0,1\n", "has both");
    expect_refused("along_m,down_m,strike\n0,0,1\n", "column: 'strike'");
    expect_refused("along_m,down_m\n0,0\n", "must have a number of friction");
    expect_refused("along_m,down_m,static,mu_static\n0,0,1,1\n", "two columns for one number");
    EXPECT_THROW((void)FaultTable::read((folder_.path() / "none").string()), Error);
}

TEST_F(FaultTables, WhoseRowsShareNoCoordinateAreRefused) {
    std::string diagonal = "along_m,down_m,a\n";
    for (int row = 0; row < 101; ++row) {
        diagonal += std::to_string(row) + ',' + std::to_string(row) + ",0.01\n";
    }
    expect_refused(diagonal,
                   "must be a grid: its 101 rows have 101 coordinates along_m and 101 down_m");
}

TEST_F(FaultTables, NeedFiniteCoordinates) {
    const std::string path = (folder_.path() / "table.nc").string();
    {
        h5::File file(path, h5::File::Mode::Create);
        file.write<double>("along_m", std::vector<double>{std::nan(""), 100.0}, {2});
        file.write<double>("depth_km", std::vector<double>{0.0}, {1});
        file.write<double>("a", std::vector<double>{1, 2}, {1, 2});
        file.close();
    }
    EXPECT_THROW((void)FaultTable::read(path), Error);
}

}  // namespace
}  // namespace kaname::jobs::fault_table_test
