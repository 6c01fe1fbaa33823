// SPDX-License-Identifier: BSD-3-Clause
// A scenario on a mesh of one's own whose sides move while its fault slips.
#include <cmath>

#include <gtest/gtest.h>

#include "solvers/base/files.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/device/threads.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "tests/support/bare_job.hpp"
#include "tests/support/box_mesh.hpp"
#include "tests/support/gmsh_writer.hpp"
#include "tests/support/solve_all.hpp"
#include "worker/jobs/scenario/scenario_stages.hpp"

namespace kaname::jobs::scenario_sides_test {
namespace {

constexpr double kYear_s = 31557600.0;
constexpr double kHalf_m = 20e3;
constexpr double kStrain = 2.0 / (2.0 * kHalf_m);  // after a year

/// An elastic box of 40 x 40 x 20 km, lambda = mu = 30 GPa, with a vertical fault. Its east side
/// moves east by 2 m a year; west, south, north and bottom are rollers, the top is free.
class MovedBox : public testing::Test {
protected:
    MovedBox() {
        test::BoxMesh box;
        box.cells = {4, 4, 3};
        box.low = {-kHalf_m, -kHalf_m, -20e3};
        box.high = {kHalf_m, kHalf_m, 0.0};
        box.faults = {{0, 2, {0, 1, 1}, {0, 3, 3}, true}};
        write_file(path("model.msh"), test::write_gmsh(box.build(), {"rock"}, {}));
        write_file(path("slip.csv"),
                   "x_m,y_m,z_m,strike_slip_m,dip_slip_m\n0,-10000,0,0,0\n0,10000,0,0,0\n"
                   "0,-10000,-13500,0,0\n0,10000,-13500,0,0\n0,0,0,1,0\n0,0,-13000,0,0\n");
        MeshFileFaults mesh_file;
        mesh_file.top = "top";
        mesh_file.path = path("model.msh");
        mesh_file.surfaces = {{"fault", "fault.mesh.surfaces[0]", 0.0}};
        mesh_file.boundaries = {{"east", "b[0]"},
                                {"west", "b[1]", true},
                                {"south", "b[2]", true},
                                {"north", "b[3]", true},
                                {"bottom", "b[4]", true}};
        job.fault = mesh_file;
        job.region.projected = false;
        job.structure.materials = {{"rock", 3e10, 3e10, 0.0, std::nullopt}};
        job.stations = {{"S", 0.0, 0.0, std::nullopt, "stations.list[0]", 5e3, 2e3}};
        job.boundaries.data = {{.name = "east",
                                .field = "b[0].displacement",
                                .given = {true, false, false},
                                .value = {2.0, 0.0, 0.0}}};
        job.boundaries.sources = {{"boundary", "east", {HistoryKind::Steady, kYear_s}, "key"}};
        job.time.end_s = kYear_s;
        job.time.epochs_s = {0.0, kYear_s};
        job.solver.tolerance = 1e-11;
        job.placement.device = DeviceChoice::Cpu;
        job.scenario.emplace();
        job.scenario->total_id = "total";
        SlipModelSource model;
        model.id = "shock";
        model.field = "events[0].slip_model";
        model.path = path("slip.csv");
        model.format = "points";
        job.scenario->models = {model};
        job.scenario->events.resize(1);
        job.scenario->events[0].name = "shock";
        job.scenario->volume.epochs_s = {0.0, kYear_s};
    }
    [[nodiscard]] std::string path(const std::string& name) const {
        return (folder.path() / name).string();
    }
    [[nodiscard]] io::GreensDataset run(double scale) {
        job.scenario->events[0].scale = scale;
        job.solve_key = "scale " + std::to_string(scale);
        const std::string mesh = path("mesh.h5");
        stages.mesh(job, mesh, [](double, const std::string&) {});
        device::set_threads(1);
        comm::SerialComm comm;
        (void)test::solve_all(stages, job, mesh, folder.path().string(), comm);
        const SourceFiles files = stages.find_results(job, folder.path().string());
        (void)stages.package(job, mesh, files, false, path("greens.h5"));
        return io::read_greens_dataset(path("greens.h5"));
    }

    TemporaryFolder folder;
    GreensJob job = test::bare_job();
    ScenarioStages stages;
};

TEST_F(MovedBox, IsSoundBeforeItIsComputed) {
    const Preflight found = stages.preflight(job);

    ASSERT_TRUE(found.violations.empty()) << found.violations[0].message;
    EXPECT_EQ(found.sources, 2);
}

TEST_F(MovedBox, FieldsAreThoseOfSlipAndOfTheSidesTogether) {
    const io::GreensDataset once = run(1.0);
    const io::GreensDataset twice = run(2.0);

    // Twice the one less the other leaves what the sides do: e_xx, sigma_zz = 0, e_yy = 0, so that
    // e_zz = -lambda / (lambda + 2 mu) e_xx.
    ASSERT_TRUE(once.volume && twice.volume);
    const double strain[6] = {kStrain, 0.0, -kStrain / 3.0, 0.0, 0.0, 0.0};
    const double stress[6] = {8e10 * kStrain, 2e10 * kStrain, 0.0, 0.0, 0.0, 0.0};
    const std::size_t half = once.volume->strain.size() / 2;  // at each of two epochs
    double shock = 0.0;
    for (std::size_t k = 0; k < 2 * half; ++k) {
        const double after = k < half ? 0.0 : 1.0;
        ASSERT_NEAR(2.0 * once.volume->strain[k] - twice.volume->strain[k], after * strain[k % 6],
                    1e-5 * kStrain);
        ASSERT_NEAR(2.0 * once.volume->stress_pa[k] - twice.volume->stress_pa[k],
                    after * stress[k % 6], 1e6 * kStrain);
        shock = std::max(shock, std::abs(double{once.volume->strain[k % half]}));
    }
    EXPECT_GT(shock, 0.1 * kStrain);
    ASSERT_TRUE(once.surface && twice.surface);
    const std::size_t points = once.surface->n_points();
    for (std::size_t k = 0; k < points; ++k) {
        const std::size_t at = 3 * (points + k);  // at the second epoch, east
        EXPECT_NEAR(2.0 * once.surface->displacement_m[at] - twice.surface->displacement_m[at],
                    kStrain * (once.surface->xyz_m[3 * k] + kHalf_m), 1e-5);
    }
}

}  // namespace
}  // namespace kaname::jobs::scenario_sides_test
