// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/gridded_surface.hpp"

#include <cmath>
#include <fstream>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/h5/file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kaname::earth::gridded_surface_test {
namespace {

const SurfaceFileRules kDepths{"depth_km", ""};

class GriddedSurfaceFile : public testing::Test {
protected:
    const std::string& write(const std::string& text) {
        std::ofstream(path_) << text;
        return path_;
    }
    std::string refusal(const std::string& text) {
        try {
            (void)read_surface_file(write(text), kDepths);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
            return error.what();
        }
        ADD_FAILURE() << "no error for " << text;
        return {};
    }

    support::TemporaryFolder folder_;
    std::string path_ = folder_.path("surface.csv");
};

TEST_F(GriddedSurfaceFile, ReadsCsvByHeaderNameInAnyOrder) {
    write(
        "# from a catalogue\n\n"
        "depth_km,note,lat_deg,lon_deg\n"
        "40,d,30.05,135.05\n10,a,30,135\n20,b,30,135.05\n30,c,30.05,135\n");

    const GriddedSurface surface = read_surface_file(path_, kDepths);

    EXPECT_EQ(surface.n_lon, 2);
    EXPECT_EQ(surface.n_lat, 2);
    EXPECT_NEAR(surface.spacing_lon_deg, 0.05, 1e-9);
    EXPECT_NEAR(surface.depth_at(135.025, 30.025), 25e3, 1e-6);
    EXPECT_NEAR(surface.depth_at(135.05, 30.0), 20e3, 1e-6);
    EXPECT_NEAR(surface.depth_at(135.025 - 360.0, 30.025), 25e3, 1e-6);
    EXPECT_TRUE(std::isnan(surface.depth_at(135.06, 30.0)));
    EXPECT_TRUE(std::isnan(surface.depth_at(134.99, 30.0)));
}

TEST_F(GriddedSurfaceFile, GivesNoDepthNextToAMissingNode) {
    write("lon_deg,lat_deg,depth_km\n0,0,1\n1,0,1\n2,0,1\n0,1,1\n1,1,1\n");

    const GriddedSurface surface = read_surface_file(path_, kDepths);

    EXPECT_NEAR(surface.depth_at(0.5, 0.5), 1e3, 1e-9);
    EXPECT_TRUE(std::isnan(surface.depth_at(1.5, 0.5)));
}

TEST_F(GriddedSurfaceFile, NamesWhatIsWrongWithCsv) {
    EXPECT_NE(refusal("lon,lat,depth_km\n1,2,3\n").find("lon_deg is missing"), std::string::npos);
    EXPECT_NE(refusal("").find("is empty"), std::string::npos);
    EXPECT_NE(refusal("lon_deg,lat_deg,depth_km\n1,2,x\n").find(":2: depth_km: 'x', must be"),
              std::string::npos);
    EXPECT_NE(refusal("lon_deg,lat_deg,depth_km\n0,0,1\n1,0\n").find(":3: columns: 2, must be 3"),
              std::string::npos);
    EXPECT_NE(refusal("lon_deg,lat_deg,depth_km\n0,0,1\n1,0,1\n2.5,1,1\n0,1,1\n")
                  .find("not on a regular grid"),
              std::string::npos);
    EXPECT_NE(refusal("lon_deg,lat_deg,depth_km\n0,0,1\n1,1,1\n0,0,2\n").find("given twice"),
              std::string::npos);
}

TEST_F(GriddedSurfaceFile, PartOfASurfaceMayBeAboveSeaLevel) {
    const GriddedSurface surface = read_surface_file(
        write("lon_deg,lat_deg,depth_km\n0,0,-1\n1,0,2\n0,1,3\n1,1,4\n"), kDepths);

    EXPECT_EQ(surface.depth_at(0.0, 0.0), -1000.0);
    EXPECT_EQ(surface.depth_at(1.0, 1.0), 4000.0);
}

TEST_F(GriddedSurfaceFile, ReportsMissingFileAsNotFound) {
    try {
        (void)read_surface_file(path_ + ".none", kDepths);
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::NotFound);
    }
}

TEST_F(GriddedSurfaceFile, ReadsSlab2GridWithDepthsNegativeDown) {
    if (!h5::available()) {
        GTEST_SKIP() << "built without HDF5";
    }
    const double nan = std::numeric_limits<double>::quiet_NaN();
    {
        h5::File file(path_, h5::File::Mode::Create);
        file.write<double>("x", std::vector<double>{135.0, 135.05, 135.1}, {3});
        file.write<double>("y", std::vector<double>{30.0, 30.05}, {2});
        file.write<double>("z", std::vector<double>{-10, -20, nan, -30, -40, nan}, {2, 3});
    }

    const GriddedSurface surface = read_surface_file(path_, {"z", ""});

    EXPECT_NEAR(surface.depth_at(135.025, 30.025), 25e3, 1e-6);
    EXPECT_TRUE(std::isnan(surface.depth_at(135.075, 30.025)));
}

}  // namespace
}  // namespace kaname::earth::gridded_surface_test
