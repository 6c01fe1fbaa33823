// SPDX-License-Identifier: BSD-3-Clause
// Moved and loaded sides from the YAML to the dataset, against closed forms.
#include <array>
#include <cmath>
#include <sstream>

#include "proto/request/greens/load.hpp"
#include "solvers/base/units.hpp"
#include "solvers/device/threads.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "tests/support/box_mesh.hpp"
#include "tests/support/built_job.hpp"
#include "tests/support/gmsh_writer.hpp"
#include "tests/support/solve_all.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"
#include "tests/unit/proto/request/greens/example_request.hpp"
#include "worker/jobs/greens/verbs/verbs.hpp"
#include "worker/jobs/scenario/scenario_stages.hpp"

namespace kaname::compute::boundary_pipeline_test {
namespace {

using io::GreensDataset;
using request::examples::Folder;
using request::examples::with;

// A cube of 8 km and its rock: eta / mu = 1 year, vp 6000 m/s, vs 3464 m/s, density 2500 kg/m3.
constexpr double kHalf_m = 4e3;
constexpr double kDepth_m = 8e3;
constexpr double kMu_pa = 3e10;
constexpr double kBulk_pa = 5e10;
constexpr double kWave_pa = kBulk_pa + 4.0 / 3.0 * kMu_pa;

/// A mesh with its fault inside, slip on it and a request without boundaries.
class BoundaryPipeline : public testing::Test {
protected:
    void SetUp() override {
        device::set_threads(1);
        const mesh::TetMesh box =
            test::BoxMesh{.cells = {4, 4, 4},
                          .low = {-kHalf_m, -kHalf_m, -kDepth_m},
                          .high = {kHalf_m, kHalf_m, 0.0},
                          .faults = {{.axis = 0, .index = 2, .low = {0, 1, 1}, .high = {0, 3, 3}}}}
                .build();
        folder_.write("box.msh", test::write_gmsh(box, {"rock"}, {}));
        folder_.write("slip.csv",
                      "x_m,y_m,z_m,slip_east_m,slip_north_m,slip_up_m\n0,0,-4000,0,1,0\n"
                      "0,-2000,-2000,0,0,0\n0,2000,-2000,0,0,0\n"
                      "0,-2000,-6000,0,0,0\n0,2000,-6000,0,0,0\n");
    }

    /// `boundaries` is the list of surfaces.
    [[nodiscard]] static std::string yaml(const std::string& boundaries, const std::string& time,
                                          const std::string& viscosity = "") {
        return R"(schema: kaname.v1.GreensBatch
name: column
region: {crs: none}
structure: {materials: [{name: rock, lambda_gpa: 30, mu_gpa: 30)" +
               viscosity + R"(}]}
fault: {mesh: {surfaces: [{name: fault, strike_deg: 0}], sources: [{name: hat, slip: [{file: slip.csv}]}]}}
stations:
  list:
    - {id: top, x_m: 1000, y_m: 500}
    - {id: deep, x_m: -700, y_m: 300, depth_m: 3000}
mesh: {file: box.msh, length_unit: m}
solver: {tolerance: 1e-11}
time: {)" + time +
               "}\nboundaries: {surfaces: [" + boundaries + "]}\n";
    }

    jobs::GreensJob job(const std::string& text) {
        const request::LoadedBatch loaded =
            request::load_batch_file(folder_.write("spec.yaml", text));
        return test::built(job_from_request(loaded, "{}"));
    }
    [[nodiscard]] std::string violations(const std::string& text) {
        const jobs::GreensJob made = job(text);
        return request::examples::lines(jobs::stages_of(made).preflight(made).violations);
    }
    GreensDataset run(const std::string& text, int ranks = 1) {
        const jobs::GreensJob made = job(text);
        const std::string mesh_path = folder_.path() + "/mesh.h5";
        const std::string work = folder_.path() + "/work" + std::to_string(runs_++);
        std::filesystem::create_directories(work);
        jobs::stages_of(made).mesh(made, mesh_path, [](double, const std::string&) {});
        comm::run_as_threads(ranks, [&](comm::Comm& comm) {
            const auto summary =
                test::solve_all(jobs::stages_of(made), made, mesh_path, work, comm);
            EXPECT_EQ(summary.sources_failed, 0);
        });
        const std::string path = work + "/greens.h5";
        (void)jobs::stages_of(made).package(
            made, mesh_path, jobs::stages_of(made).find_results(made, work), false, path);
        return io::read_greens_dataset(path);
    }

    static Vec3 motion(const GreensDataset& data, const std::string& source, std::size_t epoch,
                       std::size_t station) {
        std::size_t row = 0;
        while (data.sources.at(row).id != source) {
            ++row;
        }
        const double* u =
            data.greens.data() +
            3 * ((row * data.epochs_s.size() + epoch) * data.stations.size() + station);
        return {u[0], u[1], u[2]};
    }
    static void expect_near(const Vec3& found, const Vec3& expected, double tolerance) {
        for (int comp = 0; comp < 3; ++comp) {
            EXPECT_NEAR(found[comp], expected[comp], tolerance) << "component " << comp;
        }
    }

    Folder folder_;
    int runs_ = 0;
};

const std::string kRollers =
    "{name: west, kind: roller}, {name: east, kind: roller}, {name: south, kind: roller}, "
    "{name: north, kind: roller}, {name: bottom, kind: roller}, ";
const std::string kMaxwell = ", viscosity_pa_s: 9.46728e17";  // relaxes in one Julian year

/// Strain of a laterally held Maxwell column under a stress of T from t = 0 on:
///   e = T/K - (T/K - T/M) exp(-(K/M) t/tau)
double column_strain(double stress_pa, double t_years) {
    return stress_pa / kBulk_pa -
           (stress_pa / kBulk_pa - stress_pa / kWave_pa) * std::exp(-kBulk_pa / kWave_pa * t_years);
}

TEST_F(BoundaryPipeline, LoadedMaxwellColumnCreepsAsTheClosedForm) {
    const GreensDataset data =
        run(yaml(kRollers + "{name: top, traction: {up_mpa: -10}}",
                 "step_years: 0.025, end_years: 0.5, epochs_years: [0, 0.1, 0.25, 0.5]", kMaxwell));

    const std::array<double, 4> years = {0.0, 0.1, 0.25, 0.5};
    // Strains of PyLith's axialtraction_maxwell_soln.py.
    const std::array<double, 4> known = {-1.11111e-4, -1.15915e-4, -1.22638e-4, -1.32670e-4};
    for (std::size_t epoch = 0; epoch < 4; ++epoch) {
        const double strain = column_strain(-1e7, years[epoch]);
        EXPECT_NEAR(strain, known[epoch], 5e-10);
        // (K/M dt)^2 / 12 of the trapezoidal rule is 1.6e-5 of what creeps, 0.7 m in the end.
        expect_near(motion(data, "boundary", epoch, 0), {0.0, 0.0, strain * kDepth_m}, 5e-6);
        expect_near(motion(data, "boundary", epoch, 1), {0.0, 0.0, strain * 5e3}, 5e-6);
    }
}

TEST_F(BoundaryPipeline, SteadyLoadIsTheIntegralOfTheStep) {
    const GreensDataset data = run(
        yaml(kRollers +
                 "{name: top, traction: {up_mpa: -10}, time: {kind: steady, duration_years: 0.2}}",
             "step_years: 0.025, end_years: 0.5, epochs_years: [0, 0.11, 0.5]", kMaxwell));

    const std::array<double, 3> years = {0.0, 0.11, 0.5};
    for (std::size_t epoch = 0; epoch < 3; ++epoch) {
        const double t = years[epoch];
        const double k = kBulk_pa / kWave_pa;
        const double strain =
            -1e7 / 0.2 *
            (t / kBulk_pa - (1.0 / kBulk_pa - 1.0 / kWave_pa) * (1.0 - std::exp(-k * t)) / k);
        expect_near(motion(data, "boundary", epoch, 0), {0.0, 0.0, strain * kDepth_m}, 5e-6);
    }
}

TEST_F(BoundaryPipeline, MovedTopStretchesTheColumnInStepWithItsTimeFunction) {
    const std::string time = "step_years: 0.1, end_years: 1, epochs_years: [0, 0.35, 1]";
    const auto with_time = [&](const std::string& function) {
        return run(
            yaml(kRollers + "{name: top, displacement: {up_m: 0.8}, time: {" + function + "}}",
                 time, kMaxwell));
    };
    const struct {
        const char* function;
        std::array<double, 3> factor;
    } cases[] = {{"kind: step", {1.0, 1.0, 1.0}},
                 {"kind: ramp, duration_years: 0.5", {0.0, 0.7, 1.0}},
                 {"kind: steady, duration_years: 0.5", {0.0, 0.7, 2.0}},
                 {"kind: table, times_years: [0.2, 0.4, 0.6, 0.6], factors: [1, 3, 3, -1]",
                  {0.0, 2.5, -1.0}}};
    for (const auto& one : cases) {
        const GreensDataset data = with_time(one.function);

        // Laterally held, the strain is even whatever the rheology.
        for (std::size_t epoch = 0; epoch < 3; ++epoch) {
            const double top = 0.8 * one.factor[epoch];
            expect_near(motion(data, "boundary", epoch, 0), {0.0, 0.0, top}, 1e-9);
            expect_near(motion(data, "boundary", epoch, 1), {0.0, 0.0, top * 5.0 / 8.0}, 1e-9);
        }
    }
}

TEST_F(BoundaryPipeline, ElasticBodiesFollowSteadyMotionWithoutSteps) {
    const GreensDataset data = run(yaml(
        kRollers + "{name: top, displacement: {up_m: 0.04}, time: {kind: steady, duration_years: "
                   "1}}",
        "end_years: 50, epochs_years: [0, 1, 50]"));

    expect_near(motion(data, "boundary", 1, 0), {0.0, 0.0, 0.04}, 1e-10);
    expect_near(motion(data, "boundary", 2, 1), {0.0, 0.0, 50 * 0.04 * 5.0 / 8.0}, 1e-9);
}

/// u = A x + b.
Vec3 linear(const Vec3& x) {
    return {1e-4 * x.x + 3e-5 * x.y - 2e-5 * x.z + 0.1, -4e-5 * x.x + 5e-5 * x.y + 1e-5 * x.z - 0.2,
            2e-5 * x.x - 6e-5 * x.y + 7e-5 * x.z + 0.3};
}

TEST_F(BoundaryPipeline, LinearTablesOnAllSidesAreLinearInside) {
    std::string surfaces;
    const char* names[6] = {"west", "east", "south", "north", "bottom", "top"};
    for (int side = 0; side < 6; ++side) {
        std::ostringstream table;
        table.precision(17);
        table << "# corners of a side\nx_m,y_m,depth_m,east_m,north_m,up_mm\n";
        for (int corner = 0; corner < 8; ++corner) {
            const int at[3] = {corner & 1, (corner >> 1) & 1, (corner >> 2) & 1};
            if (at[side / 2] != side % 2) {
                continue;
            }
            const Vec3 x = {(2 * at[0] - 1) * kHalf_m, (2 * at[1] - 1) * kHalf_m,
                            (at[2] - 1) * kDepth_m};
            const Vec3 u = linear(x);
            table << x.x << ',' << x.y << ',' << -x.z << ',' << u.x << ',' << u.y << ','
                  << 1e3 * u.z << '\n';
        }
        folder_.write(std::string(names[side]) + ".csv", table.str());
        surfaces += std::string("{name: ") + names[side] + ", displacement: {file: " + names[side] +
                    ".csv}}, ";
    }
    const std::string text = yaml(surfaces, "end_s: 0");

    EXPECT_EQ(violations(text), "");
    const GreensDataset data = run(text);

    expect_near(motion(data, "boundary", 0, 0), linear({1000.0, 500.0, 0.0}), 1e-9);
    expect_near(motion(data, "boundary", 0, 1), linear({-700.0, 300.0, -3000.0}), 1e-9);
    EXPECT_EQ(data.sources.back().patch_id, "west+east+south+north+bottom+top");
    EXPECT_EQ(data.sources.back().component, "boundary");
    EXPECT_TRUE(std::isnan(data.sources.back().depth_m));
}

TEST_F(BoundaryPipeline, SlipSourcesDoNotSeeTheMovingSides) {
    const std::string time = "step_years: 0.25, end_years: 0.5";
    const std::string others = "{name: bottom, kind: fixed}, ";
    const GreensDataset moved =
        run(yaml(others + "{name: top, traction: {north_mpa: 3}}, "
                          "{name: west, displacement: {east_m: 2, up_m: -1}}",
                 time, kMaxwell));
    const GreensDataset held =
        run(yaml(others + "{name: west, fixed: [east, up]}", time, kMaxwell));

    ASSERT_EQ(moved.sources.size(), 2U);
    ASSERT_EQ(held.sources.size(), 1U);
    for (std::size_t k = 0; k < held.greens.size(); ++k) {
        EXPECT_NEAR(moved.greens[k], held.greens[k], 1e-10);
    }
    EXPECT_GT(std::abs(motion(held, "hat", 0, 0).y), 1e-5);
}

TEST_F(BoundaryPipeline, TwoTimeFunctionsAreTwoSourcesThatAddUp) {
    const std::string time = "step_years: 0.25, end_years: 0.5, epochs_years: [0, 0.5]";
    const std::string bottom = "{name: bottom, kind: fixed}, ";
    const GreensDataset apart =
        run(yaml(bottom + "{name: east, displacement: {north_m: 2}}, "
                          "{name: top, traction: {east_mpa: 3}, time: {kind: table, times_s: [0], "
                          "factors: [1]}}",
                 time, kMaxwell));
    const GreensDataset together = run(yaml(bottom + "{name: east, displacement: {north_m: 2}}, "
                                                     "{name: top, traction: {east_mpa: 3}}",
                                            time, kMaxwell));

    for (std::size_t epoch = 0; epoch < 2; ++epoch) {
        for (std::size_t station = 0; station < 2; ++station) {
            expect_near(motion(apart, "boundary", epoch, station) +
                            motion(apart, "boundary_2", epoch, station),
                        motion(together, "boundary", epoch, station), 1e-9);
        }
    }
    EXPECT_GT(norm(motion(apart, "boundary_2", 1, 0)), 0.1);
}

TEST_F(BoundaryPipeline, TwoRanksGiveTheSameMotion) {
    folder_.write("load.csv",
                  "x_m,y_m,z_m,up_mpa\n-4000,-4000,0,0\n4000,-4000,0,-1\n"
                  "-4000,4000,0,0\n4000,4000,0,-4\n0,0,0,-7\n");
    const std::string text = yaml(
        "{name: bottom, kind: fixed}, {name: west, displacement: {north_m: 2}}, "
        "{name: top, traction: {file: load.csv, components: [up]}}",
        "step_years: 0.25, end_years: 0.5", kMaxwell);

    const GreensDataset one = run(text, 1);
    const GreensDataset two = run(text, 2);

    ASSERT_EQ(one.greens.size(), two.greens.size());
    for (std::size_t k = 0; k < one.greens.size(); ++k) {
        EXPECT_NEAR(one.greens[k], two.greens[k], 1e-9);
    }
    EXPECT_GT(std::abs(motion(one, "boundary", 0, 0).z), 1e-3);
}

TEST_F(BoundaryPipeline, PreflightNamesTablesThatDoNotFit) {
    const auto broken = [&](const std::string& csv, const std::string& side) {
        folder_.write("t.csv", csv);
        std::string found = violations(yaml("{name: bottom, kind: fixed}, " + side, "end_s: 0"));
        for (std::size_t at = found.find(folder_.path()); at != std::string::npos;
             at = found.find(folder_.path())) {
            found.erase(at, folder_.path().size() + 1);
        }
        return found;
    };
    const std::string top = "{name: top, displacement: {file: t.csv, components: [up]}}";
    const std::string field = "boundaries.surfaces[1].displacement.file: ";
    const std::string corners = "-4e3,-4e3,0,1\n4e3,-4e3,0,1\n-4e3,4e3,0,1\n";

    EXPECT_EQ(broken("x_m,y_m,z_m,up_m\n" + corners + "4e3,4e3,0,1\n", top), "");
    EXPECT_EQ(broken("x_m,y_m,z_m,up_m\n" + corners + "3e3,3e3,0,1\n", top),
              field +
                  "must cover 'top', but (4000.000, -3000.000, 0.000) m is 141.421 m outside "
                  "of its points; add points, or give reach_m\n");
    EXPECT_EQ(broken("x_m,y_m,z_m,up_m\n" + corners + "3e3,3e3,0,1\n",
                     "{name: top, displacement: {file: t.csv, components: [up], reach_km: 2}}"),
              "");
    EXPECT_EQ(broken("x_m,y_m,z_km,up_m\n-4e3,-4e3,20,1\n4e3,-4e3,20,1\n-4e3,4e3,20,1\n"
                     "4e3,4e3,20,1\n",
                     top),
              field +
                  "must lie on 'top', but its points are 20000 m beside (-4000.000, "
                  "-4000.000, 0.000) m\n");
    EXPECT_EQ(broken("x_m,y_m,z_m,north_m\n" + corners, top),
              field + "t.csv: must have one of the columns up_m, up_cm, up_mm, got none\n");
    EXPECT_EQ(broken("x_m,y_m,z_m,up_m,up_mm\n1,2,3,4,5\n", top),
              field + "t.csv: must have one of the columns up_m, up_cm, up_mm, got 2\n");
    EXPECT_EQ(broken("x_m,y_m,z_m,depth_m,up_m\n1,2,3,4,5\n", top),
              field + "t.csv: must have one of the columns z_m (up) and depth_m (down)\n");
    EXPECT_EQ(broken("lon_deg,lat_deg,z_m,up_m\n1,2,3,4\n", top),
              field + "t.csv: must have the columns x_m and y_m: region.crs is none\n");
    EXPECT_EQ(
        broken("x_m,y_m,z_m,up_m\n" + corners,
               "{name: west, kind: roller, displacement: {east_m: 1}}"),
        "boundaries.surfaces[1].displacement: must not name east: it is held by the roller or "
        "fixed component of 'west'\n");
}

std::string layers(const std::string& boundaries) {
    return R"(schema: kaname.v1.GreensBatch
name: layers
region: {centre_lon_deg: 135, centre_lat_deg: 34, size_east_km: 60, size_north_km: 60, depth_km: 30}
structure:
  materials:
    - {name: crust, lambda_gpa: 30, mu_gpa: 30}
    - {name: mantle, lambda_gpa: 60, mu_gpa: 60, viscosity_pa_s: 1e19}
  layers: [{material: crust, bottom_depth_km: 15}, {material: mantle}]
fault:
  plane: {centre_lon_deg: 135, centre_lat_deg: 34, top_depth_km: 0, strike_deg: 0, dip_deg: 90,
          length_km: 20, width_km: 10, rake_deg: [0]}
stations:
  list:
    - {id: A, lon_deg: 135.1, lat_deg: 34.1}
    - {id: bottom, lon_deg: 135.2, lat_deg: 34.1, depth_km: 30}
mesh: {size_at_fault_km: 10, size_far_km: 20, growth: 1}
solver: {tolerance: 1e-11}
time: {step_years: 1, end_years: 3, epochs_years: [0, 3]}
boundaries: {)" +
           boundaries + "}\n";
}

TEST_F(BoundaryPipeline, BothHorizontalComponentsAreTrueDirections) {
    const std::string free = "west: free, east: free, south: free, north: free, bottom: ";

    const GreensDataset both =
        run(layers(free + "{fixed: [up], displacement: {east_m: 0, north_m: 1}}"));
    const GreensDataset one = run(layers(free + "{fixed: [east, up], displacement: {north_m: 1}}"));

    // 0.2 degrees east of the centre the grid's north is 0.2 degrees times sin(34) from true north.
    const double convergence = 0.2 * kDegree * std::sin(34.0 * kDegree);
    expect_near(motion(both, "boundary", 1, 1), {0.0, 1.0, 0.0}, 1e-7);
    const Vec3 along_grid = motion(one, "boundary", 1, 1);
    EXPECT_NEAR(std::abs(along_grid.x), convergence, 1e-2 * convergence);
}

TEST_F(BoundaryPipeline, SidesOfLayersTakeData) {
    const auto text = [](const std::string& bottom) {
        return layers("west: roller, east: roller, south: roller, north: roller, bottom: " +
                      bottom);
    };
    const std::string lifted =
        text("{displacement: {up_m: 0.3}, time: {kind: ramp, duration_years: 2}}");

    EXPECT_EQ(violations(lifted), "");
    const GreensDataset moved = run(lifted);
    const GreensDataset held = run(text("roller"));

    // A lifted model moves as a whole.
    expect_near(motion(moved, "boundary", 0, 0), {}, 1e-12);
    expect_near(motion(moved, "boundary", 1, 0), {0.0, 0.0, 0.3}, 1e-9);
    for (std::size_t epoch = 0; epoch < 2; ++epoch) {
        expect_near(motion(moved, "s00d00/rake_0", epoch, 0),
                    motion(held, "s00d00/rake_0", epoch, 0), 1e-9);
    }
    folder_.write("b.csv",
                  "lon_deg,lat_deg,depth_km,up_m\n135,34,30,1\n135.1,34,30,1\n"
                  "135,34.1,30,1\n");
    EXPECT_NE(
        violations(text("{displacement: {file: b.csv, components: [up]}}"))
            .find("boundaries.bottom.displacement.file: must cover 'bottom', but (-30000.000, "
                  "-30000.000, -30000.000) m is "),
        std::string::npos);
    EXPECT_EQ(violations(text("{kind: roller, displacement: {up_m: 1}}")),
              "boundaries.bottom.displacement: must not name up: it is held by the roller or fixed "
              "component of 'bottom'\n");
}

}  // namespace
}  // namespace kaname::compute::boundary_pipeline_test
