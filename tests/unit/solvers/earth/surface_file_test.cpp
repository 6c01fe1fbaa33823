// SPDX-License-Identifier: BSD-3-Clause
// read_surface_file: csv columns, netCDF in any unit, ESRI ASCII grids.
#include <cmath>
#include <limits>

#include "solvers/earth/gridded_surface.hpp"
#include "solvers/h5/file.hpp"
#include "tests/unit/solvers/earth/model_files.hpp"

namespace kaname::earth::surface_file_test {
namespace {

class SurfaceFile : public testing::Test {
protected:
    std::string write(const std::string& name, const std::string& text) const {
        const std::string path = (folder_.path() / name).string();
        std::ofstream(path) << text;
        return path;
    }
    static std::string refusal(const std::string& path, const SurfaceFileRules& rules = {}) {
        try {
            (void)read_surface_file(path, rules);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
            return error.what();
        }
        ADD_FAILURE() << "no error for " << path;
        return {};
    }
    static void expect_text(const std::string& text, const std::string& part) {
        EXPECT_NE(text.find(part), std::string::npos) << part << " is not in:\n" << text;
    }

    TemporaryFolder folder_;
};

TEST_F(SurfaceFile, AColumnsNameTellsItsSignAndUnit) {
    const std::string path = write("table.csv",
                                   "lon_deg,lat_deg,top_mantle_km,depth_m,elevation_km,height\n"
                                   "0,0,-30,5000,0.5,100\n1,0,-30,5000,0.5,100\n"
                                   "0,1,-34,7000,0.7,300\n1,1,-34,7000,0.7,300\n");

    EXPECT_NEAR(read_surface_file(path, {"top_mantle_km", ""}).depth_at(0.5, 0.5), 32e3, 1e-9);
    EXPECT_NEAR(read_surface_file(path, {"depth_m", ""}).depth_at(0.5, 0.5), 6e3, 1e-9);
    EXPECT_NEAR(read_surface_file(path, {"elevation_km", ""}).depth_at(0.5, 0.5), -600.0, 1e-9);
    EXPECT_NEAR(read_surface_file(path, {"height", "m"}).depth_at(0.5, 0.5), -200.0, 1e-9);
    expect_text(refusal(path), "must have one of the columns depth_km");
    expect_text(refusal(path), "top_mantle_km, depth_m, elevation_km, height");
    expect_text(refusal(path, {"height", ""}), "must end with its unit");
    expect_text(refusal(path, {"lat_deg", ""}), "must say in its name what it is");
    expect_text(refusal(path, {"vp", ""}), "column vp is missing");
    expect_text(refusal(path, {"depth_m", "feet"}), "unit must be km or m, got 'feet'");
}

TEST_F(SurfaceFile, ALayersTopMustBeThereEverywhere) {
    const std::string path =
        write("nan.csv", "lon_deg,lat_deg,top_mantle_km\n0,0,-30\n1,0,nan\n0,1,-34\n1,1,-34\n");

    expect_text(refusal(path, {"top_mantle_km", ""}),
                ":3: top_mantle_km at longitude 1.000000, latitude 0.000000 is nan");
}

TEST_F(SurfaceFile, ReadsAsciiGridsFromNorthToSouth) {
    const char* values = "100 200 300 -9999\n-400 500 600 700\n";
    const std::string centre = write("centre.asc",
                                     "ncols 4\nnrows 2\nxllcenter 10\nyllcenter 50\n"
                                     "cellsize 0.5\nNODATA_value -9999\n" +
                                         std::string(values));
    const std::string corner = write("corner.asc",
                                     "NCOLS 4\nNROWS 2\nXLLCORNER 9.75\nYLLCORNER 49.75\n"
                                     "CELLSIZE 0.5\nNODATA_VALUE -9999\n" +
                                         std::string(values));
    const std::string value_first = write("etopo.asc",
                                          "4 ncols\n2 nrows\n10 xll\n50 yll\n0.5 cellsize\n"
                                          "-9999 nodata_value\n" +
                                              std::string(values));

    for (const std::string& path : {centre, corner, value_first}) {
        const GriddedSurface grid = read_surface_file(path, {});
        EXPECT_NEAR(grid.depth_at(10.0, 50.5), -100.0, 1e-9) << path;
        EXPECT_NEAR(grid.depth_at(10.75, 50.5), -250.0, 1e-9);
        EXPECT_NEAR(grid.depth_at(10.0, 50.0), 400.0, 1e-9);
        EXPECT_NEAR(grid.depth_at(10.75, 50.0), -550.0, 1e-9);
        EXPECT_TRUE(std::isnan(grid.depth_at(11.25, 50.25)));
    }
    EXPECT_NEAR(read_surface_file(centre, {"depth", "m"}).depth_at(10.0, 50.5), 100.0, 1e-9);
}

TEST_F(SurfaceFile, NamesWhatIsWrongWithAnAsciiGrid) {
    const std::string head = "ncols 2\nnrows 2\nxllcenter 0\nyllcenter 0\n";

    expect_text(refusal(write("a", head + "cellsize 1\n1 2 3\n")), "is truncated: has 3 values");
    expect_text(refusal(write("b", head + "cellsize 1\n1 2 3 4\n5 6\n")), "has more values");
    expect_text(refusal(write("c", head + "1 2\n3 4\n")), "header must have cellsize");
    expect_text(refusal(write("d", head + "cellsize 1\n1 2 3 x\n")), ":6: value: 'x'");
    expect_text(refusal(write("e", "ncols 2\nnrows -1\n1 2\n")), "nrows");
    expect_text(refusal(write("f", "ncols 90000\nnrows 90000\nxll 0\nyll 0\ncellsize 1\n1 2\n")),
                "more than the file can hold");
    expect_text(refusal(write("g", "ncols 2\nnrows 2\nxll 0\ncellsize 1\n1 2 3 4\n")), "yllcenter");
    expect_text(refusal(write("h", head + "cellsize 1\n1 2 3 4\n"), {"vp", ""}),
                "must be empty, elevation or depth");
}

TEST_F(SurfaceFile, AGridAroundTheGlobeHasNoSeam) {
    std::string text = "lon_deg,lat_deg,elevation_km\n";
    for (int lon = -175; lon < 180; lon += 10) {
        for (const int lat : {0, 10}) {
            text += std::to_string(lon) + "," + std::to_string(lat) + "," +
                    (lon == 175 ? "2" : "1") + "\n";
        }
    }

    const GriddedSurface grid = read_surface_file(write("globe.csv", text), {});

    EXPECT_NEAR(grid.depth_at(180.0, 5.0), -1500.0, 1e-9);
    EXPECT_NEAR(grid.depth_at(-180.0, 5.0), -1500.0, 1e-9);
    EXPECT_TRUE(grid.covers(179.0, 0.0));
    EXPECT_FALSE(grid.covers(179.0, 11.0));
}

TEST_F(SurfaceFile, NeverCrashesOnBytes) {
    expect_text(refusal(write("old.nc", std::string("CDF\1\0\0\0", 7))), "netCDF-3");
    expect_text(refusal(write("null", std::string(100, '\0'))), "holds no row");
    EXPECT_THROW((void)read_surface_file(write("empty", ""), {}), Error);
    EXPECT_THROW((void)read_surface_file(folder_.path().string(), {}), Error);
    EXPECT_THROW((void)read_surface_file(write("h5", "\211HDF\r\n\032\nxxxx"), {}), Error);
}

class NetcdfSurface : public SurfaceFile {
protected:
    void SetUp() override {
        if (!h5::available()) {
            GTEST_SKIP() << "built without HDF5";
        }
    }
    /// 3 x 2 nodes, rows from north to south.
    [[nodiscard]] std::string grid(const std::string& name, const std::vector<std::string>& axes,
                                   const std::function<void(h5::File&)>& add = {}) const {
        const std::string path = (folder_.path() / "grid.nc").string();
        h5::File file(path, h5::File::Mode::Create);
        file.write<double>(axes[0], std::vector<double>{135.0, 136.0, 137.0}, {3});
        file.write<double>(axes[1], std::vector<double>{31.0, 30.0}, {2});
        file.write<double>(name, std::vector<double>{-1.0, -2.0, -2.0, -3.0, -4.0, -9.0}, {2, 3});
        if (add) {
            add(file);
        }
        return path;
    }
};

TEST_F(NetcdfSurface, UnitComesFromTheRulesThenTheFileThenSlab2) {
    const std::string told = grid("elevation", {"lon", "lat"}, [](h5::File& file) {
        file.set_attribute("elevation", "units", std::string("meters"));
    });
    EXPECT_NEAR(read_surface_file(told, {}).depth_at(135.0, 31.0), 1.0, 1e-12);
    EXPECT_NEAR(read_surface_file(told, {"", "km"}).depth_at(135.0, 31.0), 1e3, 1e-12);

    const std::string untold = grid("z", {"x", "y"});
    EXPECT_NEAR(read_surface_file(untold, {}).depth_at(136.0, 31.0), 2e3, 1e-12);
    EXPECT_NEAR(read_surface_file(untold, {"", "m"}).depth_at(135.0, 30.0), 3.0, 1e-12);
}

TEST_F(NetcdfSurface, PackedValuesGapsAndDepthsAreUnderstood) {
    const std::string path = grid("sediment_depth", {"longitude", "latitude"}, [](h5::File& file) {
        file.set_attribute("sediment_depth", "scale_factor", -0.5);
        file.set_attribute("sediment_depth", "add_offset", 10.0);
        file.set_attribute("sediment_depth", "_FillValue", -9.0);
    });

    const GriddedSurface surface = read_surface_file(path, {"sediment_depth", "m"});

    EXPECT_NEAR(surface.depth_at(135.0, 31.0), 10.5, 1e-12);
    EXPECT_NEAR(surface.depth_at(135.5, 30.5), 11.25, 1e-12);
    EXPECT_TRUE(std::isnan(surface.depth_at(136.5, 30.5)));
}

TEST_F(NetcdfSurface, AxesOfTooManyNodesAreRefusedUnread) {
    const std::string path = (folder_.path() / "axes.nc").string();
    h5::File file(path, h5::File::Mode::Create);
    file.create<double>("lon", {200'000'000}, {1U << 20U});
    file.create<double>("lat", {300'000'000}, {1U << 20U});
    file.create<float>("z", {10, 10});
    file.close();

    expect_text(refusal(path), "has 200000000 x 300000000 nodes, must have at most 1e8");
}

TEST_F(NetcdfSurface, NamesWhatIsMissing) {
    expect_text(refusal(grid("w", {"x", "y"})), "has no heights: expected the variable one of z");
    expect_text(refusal(grid("z", {"x", "y"}), {"depth", ""}), "'depth'");
    expect_text(refusal(grid("z", {"a", "y"})), "has no longitude");
}

}  // namespace
}  // namespace kaname::earth::surface_file_test
