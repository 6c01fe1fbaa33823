// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/dataset/greens_dataset.hpp"

#include <cmath>
#include <filesystem>
#include <limits>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/h5/file.hpp"
#include "tests/support/python_check.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/solvers/io/small_fields.hpp"

namespace kaname::io::greens_dataset_test {
namespace {

/// greens = 1000 source + 100 epoch + 10 station + component; the first source is missing.
GreensDataset tiny() {
    GreensDataset d;
    d.name = "tiny";
    d.title = "Tiny dataset";
    d.sources.resize(2);
    d.sources[0] = {"s00d00/strike_slip",
                    "s00d00",
                    "strike_slip",
                    0.0,
                    135.0,
                    33.0,
                    12e3,
                    240.0,
                    11.0,
                    60e3,
                    40e3,
                    {134.0, 135.0, 136.0, 137.0},
                    {32.0, 32.5, 33.5, 34.0},
                    {8e3, 9e3, 15e3, 16e3},
                    2,
                    "no convergence"};
    d.sources[1] = d.sources[0];
    d.sources[1].id = "s00d00/dip_slip";
    d.sources[1].component = "dip_slip";
    d.sources[1].rake_deg = 90.0;
    d.sources[1].status = 1;
    d.sources[1].failure.clear();
    d.epochs_s = {0.0, 3e6, 3e7};
    d.stations = {{"M.A", 135.0, 33.0, 2000.0, 135.0, 33.0, 0.0},
                  {"M.B", 135.5, 33.1, 0.0, 135.5, 33.1, 0.0},
                  {"室戸", 134.2, 33.3, -10.0, 134.2, 33.3, 0.0},
                  {"D", 136.0, 33.9, 0.0, 136.0, 33.9, 0.0}};
    for (int source = 0; source < 2; ++source) {
        for (int epoch = 0; epoch < 3; ++epoch) {
            for (int station = 0; station < 4; ++station) {
                for (int comp = 0; comp < 3; ++comp) {
                    d.greens.push_back(source == 0 ? std::numeric_limits<double>::quiet_NaN()
                                                   : 1000.0 + 100 * epoch + 10 * station + comp);
                }
            }
        }
    }
    d.step_time_s = {0.0, 3e6};
    d.iterations = {-1, -1, 9, 4};
    d.residual = {1.0, 1.0, 1e-9, 2e-9};
    d.initial_residual = {1.0, 1.0, 1.0, 1e-4};
    d.crs_wkt =
        "PROJCRS[\"unknown\",CONVERSION[\"unknown\",METHOD[\"Modified Azimuthal Equidistant\"],"
        "PARAMETER[\"Latitude of natural origin\",34.5],"
        "PARAMETER[\"Longitude of natural origin\",-135],PARAMETER[\"False easting\",0],"
        "PARAMETER[\"False northing\",0]]]";
    d.specification_json = "{\"name\":\"tiny\"}";
    d.kaname_version = "0.1.0";
    d.mesh_sha256 = "ab";
    d.material_sha256 = "cd";
    d.tolerance = 1e-8;
    d.element = "nodal_dilatation";
    d.time_method = "spectrum";
    d.solver_method = "default";
    d.gravity = "buoyancy";
    d.predicted_error = "predicted error: 0.4 % right after the slip at station 'A'";
    d.warnings = {"a first warning", "a second one"};
    d.dof = 123456;
    return d;
}

class GreensFile : public testing::Test {
protected:
    void SetUp() override {
        if (!h5::available()) {
            GTEST_SKIP() << "built without HDF5";
        }
    }

    support::TemporaryFolder folder_;
    std::string path_ = folder_.path("greens.h5");
};

TEST_F(GreensFile, WithoutAProjectionPlacesAreXAndY) {
    GreensDataset d = tiny();
    d.projected = false;
    d.unit_slip = false;
    d.crs_wkt.clear();
    d.sources[1].x_m = -4e3;
    d.sources[1].outline_y_m[2] = 7e3;
    d.stations[3].x_m = 1.5e3;
    d.stations[3].snapped_y_m = 2.5e3;

    write_greens_dataset(path_, d);
    const GreensDataset back = read_greens_dataset(path_);

    EXPECT_FALSE(back.projected);
    EXPECT_FALSE(back.unit_slip);
    EXPECT_EQ(back.sources[1].x_m, -4e3);
    EXPECT_EQ(back.sources[1].outline_y_m[2], 7e3);
    EXPECT_EQ(back.sources[1].depth_m, 12e3);
    EXPECT_EQ(back.stations[3].x_m, 1.5e3);
    EXPECT_EQ(back.stations[3].snapped_y_m, 2.5e3);
    const h5::File file(path_, h5::File::Mode::Read);
    EXPECT_FALSE(file.has("crs"));
    EXPECT_FALSE(file.has("station_lon"));
    EXPECT_FALSE(file.has("outline_lat"));
    EXPECT_EQ(file.string_attribute("/", "crs"), "none");
    EXPECT_EQ(file.string_attribute("greens", "units"), "m");
}

TEST_F(GreensFile, ReadsBackEveryField) {
    const GreensDataset d = tiny();

    write_greens_dataset(path_, d);
    const GreensDataset back = read_greens_dataset(path_);

    ASSERT_EQ(back.greens.size(), d.greens.size());
    for (std::size_t at = 0; at < d.greens.size(); ++at) {
        EXPECT_TRUE(back.greens[at] == d.greens[at] ||
                    (std::isnan(back.greens[at]) && std::isnan(d.greens[at])));
    }
    ASSERT_EQ(back.sources.size(), 2u);
    EXPECT_EQ(back.sources[0].id, d.sources[0].id);
    EXPECT_EQ(back.sources[0].failure, "no convergence");
    EXPECT_EQ(back.sources[0].status, 2);
    EXPECT_EQ(back.sources[1].patch_id, "s00d00");
    EXPECT_EQ(back.sources[1].component, "dip_slip");
    EXPECT_EQ(back.sources[1].rake_deg, 90.0);
    EXPECT_EQ(back.sources[1].depth_m, 12e3);
    EXPECT_EQ(back.sources[1].width_m, 40e3);
    EXPECT_EQ(back.sources[1].outline_lon_deg[3], 137.0);
    EXPECT_EQ(back.sources[1].outline_depth_m[2], 15e3);
    ASSERT_EQ(back.stations.size(), 4u);
    EXPECT_EQ(back.stations[2].id, "室戸");
    EXPECT_EQ(back.stations[2].depth_m, -10.0);
    EXPECT_EQ(back.stations[0].snapped_depth_m, 0.0);
    EXPECT_EQ(back.stations[3].snapped_lat_deg, 33.9);
    EXPECT_EQ(back.epochs_s, d.epochs_s);
    EXPECT_EQ(back.step_time_s, d.step_time_s);
    EXPECT_EQ(back.iterations, d.iterations);
    EXPECT_EQ(back.residual, d.residual);
    EXPECT_EQ(back.initial_residual, d.initial_residual);
    EXPECT_EQ(back.name, d.name);
    EXPECT_EQ(back.title, d.title);
    EXPECT_EQ(back.crs_wkt, d.crs_wkt);
    EXPECT_EQ(back.specification_json, d.specification_json);
    EXPECT_EQ(back.kaname_version, d.kaname_version);
    EXPECT_EQ(back.mesh_sha256, d.mesh_sha256);
    EXPECT_EQ(back.material_sha256, d.material_sha256);
    EXPECT_EQ(back.element, d.element);
    EXPECT_EQ(back.time_method, d.time_method);
    EXPECT_EQ(back.solver_method, d.solver_method);
    EXPECT_EQ(back.gravity, "buoyancy");
    EXPECT_EQ(back.predicted_error, d.predicted_error);
    EXPECT_EQ(back.warnings, d.warnings);
    EXPECT_EQ(back.tolerance, d.tolerance);
    EXPECT_EQ(back.dof, d.dof);
}

TEST_F(GreensFile, ReadsBackTheReducedModelsOfASpectrum) {
    GreensDataset d = tiny();
    const double none = std::numeric_limits<double>::quiet_NaN();
    d.step_time_s = {0.0, none};
    d.shift_per_s = {none, none, none, 2e-9};
    d.reduced.resize(2);  // the first source failed and has none
    d.reduced[1].matrices = {1, {2.0}, {3.0}, {4.0}, {1}, {1.0}, {1e-9}};
    d.reduced[1].fields.assign(2 * 4 * 3, 0.5);

    write_greens_dataset(path_, d);
    const GreensDataset back = read_greens_dataset(path_);

    ASSERT_EQ(back.reduced.size(), 2u);
    EXPECT_TRUE(back.reduced[0].fields.empty());
    EXPECT_EQ(back.reduced[1].fields, d.reduced[1].fields);
    EXPECT_EQ(back.reduced[1].matrices.n_basis, 1);
    EXPECT_EQ(back.reduced[1].matrices.A, d.reduced[1].matrices.A);
    EXPECT_EQ(back.shift_per_s[3], 2e-9);

    d.reduced[1].fields.pop_back();
    EXPECT_THROW(write_greens_dataset(path_, d), Error);
}

/// For one basis vector and two groups.
ReducedRange some_range() {
    ReducedRange range;
    range.parameter = {"mantle"};
    range.from_pa_s = {1e18};
    range.to_pa_s = {1e20};
    range.reference_pa_s = {1e19};
    range.mu_pa = {6e10, 6e10};
    range.relaxed_mu_pa = range.kelvin_mu_pa = range.kelvin_viscosity_pa_s = {0.0, 0.0};
    range.viscosity_pa_s = {1e19, 1e19};
    range.viscosity = {0, 0};
    range.kelvin_viscosity = {-1, -1};
    range.bulk = {0, 1};
    range.n_solves = 9;
    range.tolerance = 1e-3;
    range.error = 4e-4;
    range.end_s = 1e9;
    range.factor = {1.0, 0.5, 0.25};
    range.seen = {0.1, 0.2};
    range.sample_log_g = {-1.0, -0.5};
    range.sample_motion = {3.0};
    return range;
}

TEST_F(GreensFile, RangesOfViscosityComeBack) {
    GreensDataset d = tiny();
    const double none = std::numeric_limits<double>::quiet_NaN();
    d.step_time_s = {0.0, none};
    d.shift_per_s = {none, none, none, 2e-9};
    d.reduced.resize(2);
    d.reduced[1].matrices = {1, {2.0}, {3.0, 3.5}, {4.0, 4.5}, {1, 1}, {1.0, 1.0}, {1e-9, 2e-9}};
    d.reduced[1].matrices.range = some_range();
    d.reduced[1].fields.assign(2 * 4 * 3, 0.5);
    write_greens_dataset(path_, d);

    const auto back = read_greens_dataset(path_).reduced[1].matrices.range;
    ASSERT_TRUE(back);
    EXPECT_EQ(back->parameter, some_range().parameter);
    EXPECT_EQ(back->to_pa_s, some_range().to_pa_s);
    EXPECT_EQ(back->bulk, some_range().bulk);
    EXPECT_EQ(back->n_solves, 9);
    EXPECT_EQ(back->end_s, 1e9);
    EXPECT_EQ(back->factor, some_range().factor);
    EXPECT_EQ(back->sample_log_g, some_range().sample_log_g);

    const auto refused = [&](const char* what, const auto& damage) {
        GreensDataset damaged = d;
        damage(*damaged.reduced[1].matrices.range);
        EXPECT_THROW(damaged.reduced[1].matrices.check("here"), Error) << what;
    };
    refused("no such parameter", [](ReducedRange& of) { of.viscosity[1] = 1; });
    refused("a group is missing", [](ReducedRange& of) { of.mu_pa.pop_back(); });
    refused("no number", [&](ReducedRange& of) { of.factor[1] = none; });
    refused("an end that is no number", [&](ReducedRange& of) { of.end_s = none; });
    refused("samples of another size", [](ReducedRange& of) { of.sample_motion.push_back(1.0); });
}

TEST_F(GreensFile, RefusesShapesThatDisagree) {
    GreensDataset short_greens = tiny();
    short_greens.greens.pop_back();
    GreensDataset no_stations = tiny();
    no_stations.stations.clear();

    EXPECT_THROW(write_greens_dataset(path_, short_greens), Error);
    EXPECT_THROW(write_greens_dataset(path_, no_stations), Error);
    EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(GreensFile, OpensInXarrayWithNamedAxesAndUnits) {
    write_greens_dataset(path_, tiny());

    const int code = test::python_check("tests/unit/solvers/io/check_xarray.py", {path_});

    if (code == test::kSkipped) {
        GTEST_SKIP() << "python3-xarray or python3-netcdf4 is not installed";
    }
    EXPECT_EQ(code, 0);
}

TEST_F(GreensFile, EveryAxisOfEveryGroupIsANamedDimension) {
    GreensDataset all = tiny();
    const double none = std::numeric_limits<double>::quiet_NaN();
    all.step_time_s = {0.0, none};
    all.shift_per_s = {none, none, none, 2e-9};
    all.sources[1].spectrum_error = 2e-6;
    all.reduced.resize(2);
    all.reduced[1].matrices = {1,      {2.0},           {3.0, 3.5},        {4.0, 4.5},
                               {1, 2}, {1.0, 0.5, 0.5}, {1e-9, 2e-9, 3e-9}};
    all.reduced[1].matrices.range = some_range();
    all.reduced[1].fields.assign(2 * 4 * 3, 0.5);
    all.events = {{"first", "first", "step"}, {"second", "first", "ramp", 1e6}};
    all.surface = small_surface();
    all.volume = small_volume();
    GreensDataset plain = tiny();
    plain.projected = false;
    plain.unit_slip = false;
    plain.sources[0].fault = "main";
    plain.sources[1].fault = "splay";
    plain.stations[0].look_east = 0.6;
    plain.stations[0].look_north = 0.0;
    plain.stations[0].look_up = 0.8;
    FaultResponse& response = plain.fault_response.emplace();
    response.forces = {{"A/look", 0, -1, {0.6, 0.0, 0.8}, "", 40, 12}};
    response.n_nodes = 2;
    response.traction.assign(plain.epochs_s.size() * 2 * 3, 0.5);
    response.around.xyz = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    response.around.tets = {{0, 1, 2, 3}};
    response.around.material = {0};
    response.around.fault_faces = {{{0, 1, 2}, 0}};
    const std::string plain_path = path_ + ".plain";
    write_greens_dataset(path_, all);
    write_greens_dataset(plain_path, plain);

    const int code =
        test::python_check("tests/support/check_dataset.py", {"--all", path_, plain_path});

    std::filesystem::remove(plain_path);
    if (code == test::kSkipped) {
        GTEST_SKIP() << "python3-h5py is not installed";
    }
    EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace kaname::io::greens_dataset_test
