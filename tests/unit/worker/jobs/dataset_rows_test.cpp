// SPDX-License-Identifier: BSD-3-Clause
// Datasets without a solved source: all that they say of their sources is there.
#include <cmath>

#include <gtest/gtest.h>

#include "solvers/base/files.hpp"
#include "solvers/h5/file.hpp"
#include "tests/support/bare_job.hpp"
#include "tests/support/box_mesh.hpp"
#include "tests/support/built_job.hpp"
#include "tests/support/gmsh_writer.hpp"
#include "tests/support/python_check.hpp"
#include "tests/unit/worker/jobs/plane_job.hpp"
#include "worker/jobs/geometry/sources/source_set.hpp"
#include "worker/jobs/greens/viscoelastic_stages.hpp"
#include "worker/jobs/scenario/scenario_stages.hpp"

namespace kaname::jobs::dataset_rows_test {
namespace {

using Row = io::GreensDataset::Source;
using List = std::vector<std::int32_t>;

class SourcesOfADataset : public testing::Test {
protected:
    void SetUp() override {
        if (!h5::available()) {
            GTEST_SKIP() << "built without HDF5";
        }
    }
    /// Meshes and packages; looks at the file as a netCDF reader would.
    std::vector<Row> rows_of(const GreensJob& of) {
        const GreensJob job = test::built(of);
        const Stages& stages = stages_of(job);
        const std::string mesh = path("mesh.h5"), dataset = path("greens.h5");
        stages.mesh(job, mesh, [](double, const std::string&) {});
        (void)stages.package(job, mesh, {}, false, dataset);
        const int code = test::python_check("tests/support/check_dataset.py", {dataset});
        EXPECT_TRUE(code == 0 || code == test::kSkipped) << "check_dataset.py says what is wrong";
        return io::read_greens_dataset(dataset).sources;
    }
    [[nodiscard]] std::string path(const char* name) const {
        return (folder_.path() / name).string();
    }

    TemporaryFolder folder_;
};

TEST_F(SourcesOfADataset, RectangleWithUniformSlipHasItsAreaAndPotency) {
    const GreensJob job = plane_job();  // 20 km x 10 km in the lid of 30 GPa

    const std::vector<Row> rows = rows_of(job);

    ASSERT_EQ(rows.size(), 2u);
    for (const Row& row : rows) {
        EXPECT_EQ(row.length_m, 20e3);
        EXPECT_EQ(row.width_m, 10e3);
        EXPECT_EQ(row.slip_length_m, 20e3);
        EXPECT_NEAR(row.patch_area_m2, 2e8, 1.0);
        // The rim's faces slip in part: together the faces reach beyond the rectangle, by two of
        // their sizes at most, and their slip adds up to its own.
        EXPECT_GT(row.slip_area_m2, 2e8);
        EXPECT_LT(row.slip_area_m2, (20e3 + 4.0 * 4e3) * (10e3 + 4.0 * 4e3));
        EXPECT_NEAR(row.potency_m3, 2e8, 1e-5 * 2e8);
        EXPECT_NEAR(row.rigidity_pa, 30e9, 1e-6 * 30e9);
        EXPECT_EQ(row.hat, io::GreensDataset::Hat::Uniform);
        EXPECT_EQ(row.grid_row, 0);
        EXPECT_EQ(row.grid_column, 0);
        EXPECT_EQ(row.neighbours, (List{-1, -1, -1, -1}));
    }
    EXPECT_EQ(rows[0].rake_deg, 0.0);
    EXPECT_EQ(rows[1].rake_deg, 90.0);
}

TEST_F(SourcesOfADataset, GridOfHatsKnowsItsRowsColumnsAndNeighbours) {
    GreensJob job = plane_job();
    job.patches = test::unit_slip(3, 2);
    job.mesh.size_at_fault_m = 2.5e3;

    const std::vector<Row> rows = rows_of(job);

    ASSERT_EQ(rows.size(), 12u);  // a strike-slip and a dip-slip source per patch
    const Row& row = rows[2];
    EXPECT_EQ(row.id, "s01d00/strike_slip");
    EXPECT_EQ(row.hat, io::GreensDataset::Hat::Bilinear);
    EXPECT_EQ(row.grid_row, 0);
    EXPECT_EQ(row.grid_column, 1);
    EXPECT_EQ(row.neighbours, (List{0, 4, -1, 8}));
    EXPECT_EQ(rows[3].neighbours, (List{1, 5, -1, 9}));
    EXPECT_EQ(rows[11].neighbours, (List{9, -1, 5, -1}));
    const double area_m2 = 5e3 * 10e3 / 3.0;
    double potency = 0.0;
    for (const Row& each : rows) {
        EXPECT_NEAR(each.length_m, 5e3, 1e-6);
        EXPECT_NEAR(each.slip_length_m, 10e3, 1e-6);
        EXPECT_NEAR(each.patch_area_m2, area_m2, 1e-3);
        // Elements of half a hat do not follow its creases.
        EXPECT_NEAR(each.potency_m3 / area_m2, 1.0, 0.1) << each.id;
        potency += each.potency_m3;
    }
    EXPECT_NEAR(potency / (12.0 * area_m2), 1.0, 0.02);
    // The centre lies in the middle of its corners; strike is 20 degrees from grid north.
    double x = 0.0, y = 0.0;
    for (int corner = 0; corner < 4; ++corner) {
        x += 0.25 * row.outline_x_m[corner];
        y += 0.25 * row.outline_y_m[corner];
    }
    EXPECT_NEAR(row.x_m, x, 1e-6);
    EXPECT_NEAR(row.y_m, y, 1e-6);
    EXPECT_NEAR(std::atan2(row.outline_x_m[1] - row.outline_x_m[0],
                           row.outline_y_m[1] - row.outline_y_m[0]) *
                    180.0 / M_PI,
                20.0, 1e-3);
}

TEST_F(SourcesOfADataset, SlipTablesAndSidesHaveNoGrid) {
    test::BoxMesh box;
    box.cells = {4, 4, 4};
    box.low = {-20e3, -20e3, -20e3};
    box.high = {20e3, 20e3, 0.0};
    box.faults = {{0, 2, {0, 0, 0}, {0, 4, 4}, true}};  // the whole plane x = 0
    box.material = [](const Vec3& at) { return at.z < -10e3 ? 1 : 0; };
    write_file(path("model.msh"), test::write_gmsh(box.build(), {"upper", "lower"}, {}));
    // 2 m in the south, 1 m in the north, nothing between y = 0 and 5 km.
    const auto table = [&](const char* name, double from_m, double to_m, double slip_m) {
        std::string text = "x_m,y_m,z_m,strike_slip_m,dip_slip_m\n";
        for (double y = -20e3; y <= 20e3; y += 5e3) {
            for (double z = -20e3; z <= 0.0; z += 2.5e3) {
                const bool slips = y >= from_m && y <= to_m;
                text += "0," + std::to_string(y) + "," + std::to_string(z) + "," +
                        std::to_string(slips ? slip_m : 0.0) + ",0\n";
            }
        }
        write_file(path(name), text);
        return SurfaceSlip{"", path(name), 0.0, "slip"};
    };
    MeshFileFaults mesh_file;
    mesh_file.top = "top";
    mesh_file.path = path("model.msh");
    mesh_file.surfaces = {{"fault", "fault.mesh.surfaces[0]", 0.0}};
    mesh_file.sources = {{"south", {table("south.csv", -20e3, 0.0, 2.0)}, "south"},
                         {"north", {table("north.csv", 5e3, 20e3, 1.0)}, "north"},
                         {"end", {table("end.csv", 20e3, 20e3, 1.0)}, "end"}};
    mesh_file.boundaries = {{"bottom", "b[0]", false, {true, true, true}}};
    GreensJob job = test::bare_job();
    job.name = "tables";
    job.fault = mesh_file;
    job.region.projected = false;
    job.structure.materials = {{"upper", 3e10, 3e10, 0.0, std::nullopt},
                               {"lower", 6e10, 6e10, 0.0, std::nullopt}};
    job.stations = {{"S", 0.0, 0.0, std::nullopt, "stations[0]"}};
    job.boundaries.sources = {{"sides", "west+east", {}, "sides"}};

    const std::vector<Row> rows = rows_of(job);

    ASSERT_EQ(rows.size(), 4u);
    EXPECT_TRUE(std::isnan(rows[0].length_m));
    EXPECT_TRUE(std::isnan(rows[0].patch_area_m2));
    EXPECT_EQ(rows[0].hat, io::GreensDataset::Hat::None);
    EXPECT_EQ(rows[0].grid_row, -1);
    // 2 m from y = -20 km to 0, falling to zero over half an edge: 2 (20 + 10 / 6) km x 20 km.
    EXPECT_NEAR(rows[0].potency_m3, 2.0 * (20e3 + 10e3 / 6.0) * 20e3, 1.0);
    EXPECT_NEAR(rows[0].slip_area_m2, 30e3 * 20e3, 1e-3);
    EXPECT_NEAR(rows[0].rigidity_pa, 45e9, 1e3);
    EXPECT_NEAR(rows[0].slip_length_m, 20e3, 1e-6);
    EXPECT_EQ(rows[0].neighbours, (List{1, -1}));
    EXPECT_EQ(rows[1].neighbours, (List{0, 2}));
    EXPECT_EQ(rows[2].neighbours, (List{1, -1}));
    EXPECT_TRUE(std::isnan(rows[3].potency_m3));
    EXPECT_EQ(rows[3].neighbours, (List{-1, -1}));
}

}  // namespace
}  // namespace kaname::jobs::dataset_rows_test
