// SPDX-License-Identifier: BSD-3-Clause
// A scenario of two events against the sum of the unit sources that they are made of.
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "solvers/base/units.hpp"
#include "solvers/earth/projection.hpp"
#include "tests/convergence/dataset_fixture.hpp"
#include "tests/support/bare_job.hpp"
#include "tests/support/python_check.hpp"
#include "worker/jobs/greens/viscoelastic_stages.hpp"

#if defined(KANAME_HAVE_PROJ) && defined(KANAME_HAVE_HDF5)

namespace kaname::convergence::scenario_dataset_test {
namespace {

constexpr double kLon_deg = 135.0;
constexpr double kPatch_m = 10e3;  // length of a hat
constexpr double kWidth_m = 8e3;   // and its width
constexpr double kTop_m = 4e3;     // depth of the fault's top
constexpr double kStep_s = 2e7;
constexpr double kSecond_s = 3 * kStep_s;
constexpr double kSlip_m = 2.0;  // slip of the first event
constexpr double kRake_deg = 45.0;
// Both are solved on one mesh; the second names the hats by longitude and latitude, not in the
// plane.
constexpr double kSame = 1e-5;

/// Two bilinear hats on a vertical fault along the meridian of the region's centre.
class ScenarioDataset : public Dataset {
protected:
    void SetUp() override {
        Dataset::SetUp();
        job_.region = {kLon_deg, kLat_deg, 200e3, 200e3, 100e3, 0.0};
        job_.structure.materials.push_back({"mantle", 6e10, 6e10, 0.0, 6e18});
        job_.structure.layers = {{0, 15e3}, {1, std::nullopt}};
        job_.stations = {{"east", kLon_deg + 0.1, kLat_deg, std::nullopt, "stations[0]"},
                         {"north", kLon_deg - 0.05, kLat_deg + 0.2, std::nullopt, "stations[1]"}};
        job_.mesh.size_at_fault_m = 5e3;
        job_.mesh.size_far_m = 60e3;
        job_.time.step_s = kStep_s;
        job_.time.end_s = 6 * kStep_s;
        job_.solver.tolerance = 1e-10;
    }
    void unit_sources() {
        jobs::PlaneGeometry plane;
        plane.centre_lon_deg = kLon_deg;
        plane.centre_lat_deg = kLat_deg;
        plane.top_depth_m = kTop_m;
        plane.strike_deg = 0.0;
        plane.dip_deg = 90.0;
        plane.length_m = 3 * kPatch_m;
        plane.width_m = 2 * kWidth_m;
        job_.fault = plane;
        job_.patches = test::unit_slip(2, 1, {{"rake_45", kRake_deg}});
    }
    static jobs::SlipModelSource hat(const std::string& id, double north_m, double strike_deg,
                                     double rake_deg, double slip_m) {
        const auto at = earth::Projection({kLon_deg, kLat_deg}).inverse({0.0, north_m});
        slip_model::SlipPatch patch;
        patch.id = "1";
        patch.lon_deg = at.lon_deg;
        patch.lat_deg = at.lat_deg;
        patch.depth_m = kTop_m + kWidth_m;
        patch.length_m = kPatch_m;
        patch.width_m = kWidth_m;
        patch.strike_deg = strike_deg;
        patch.dip_deg = 90.0;
        patch.rake_deg = rake_deg;
        patch.slip_m = slip_m;
        jobs::SlipModelSource model;
        model.id = model.field = model.key = id;
        model.patches = {patch};
        model.interpolation = slip_model::Interpolation::Bilinear;  // a hat
        return model;
    }
    void scenario() {
        job_.fault = jobs::PlaneOfSlipModel{};
        job_.patches = {};
        jobs::Scenario scenario;
        scenario.total_id = "total";
        // The second says the same of the fault seen from its other side: its hanging wall is west.
        scenario.models = {hat("first", -0.5 * kPatch_m, 0.0, kRake_deg, kSlip_m),
                           hat("second", 0.5 * kPatch_m, 180.0, -kRake_deg, 1.0)};
        scenario.events.resize(2);
        scenario.events[0].name = "first";
        scenario.events[1].name = "second";
        scenario.events[1].model = 1;
        scenario.events[1].time_s = kSecond_s;
        job_.scenario = scenario;
    }
};

TEST_F(ScenarioDataset, IsTheSumOfItsHatsInTheirTime) {
    unit_sources();
    mesh();
    solve();
    const GreensDataset unit = package();
    std::filesystem::remove_all(path("work"));
    std::filesystem::create_directories(path("work"));
    scenario();
    solve();

    const GreensDataset data = package();

    ASSERT_EQ(data.sources.size(), 3u);
    EXPECT_EQ(data.sources[0].id, "total");
    EXPECT_EQ(data.sources[2].id, "second");
    EXPECT_FALSE(data.unit_slip);
    ASSERT_EQ(data.epochs_s, unit.epochs_s);
    const std::size_t delay = 3;  // steps
    for (std::size_t epoch = 0; epoch < data.epochs_s.size(); ++epoch) {
        for (std::size_t station = 0; station < 2; ++station) {
            const Vec3 first = kSlip_m * value(unit, 0, epoch, station);
            const Vec3 second = epoch < delay ? Vec3{} : value(unit, 1, epoch - delay, station);
            const double size = norm(first) + norm(second);
            EXPECT_GT(size, 1e-3);
            EXPECT_LT(norm(value(data, 1, epoch, station) - first), kSame * size);
            EXPECT_LT(norm(value(data, 2, epoch, station) - second), kSame * size);
            EXPECT_LT(norm(value(data, 0, epoch, station) - first - second), kSame * size);
        }
    }
}

TEST_F(ScenarioDataset, SaysWhatTheFaultTookOfTheModels) {
    scenario();
    job_.scenario->events[0].scale = -1.0;
    job_.scenario->volume.epochs_s = {0.0, kSecond_s};
    job_.scenario->volume.receivers = {
        {.name = "all", .dip_deg = 90.0, .at = std::nullopt},
        {.name = "place", .dip_deg = 90.0, .at = {{kLon_deg, kLat_deg, 5e3}}}};
    job_.time.end_s = kSecond_s;
    mesh();
    solve();

    const GreensDataset data = package();

    const int code = test::python_check("tests/support/check_dataset.py", {path("greens.h5")});
    EXPECT_TRUE(code == 0 || code == test::kSkipped);
    ASSERT_EQ(data.events.size(), 2u);
    const double area_m2 = kPatch_m * kWidth_m;  // a hat's integral
    // The fault lies across the lid's lower edge at 15 km: its lid counts where two rocks meet.
    // Its elements' edges are not the hats'.
    EXPECT_NEAR(data.events[0].potency_ratio, 1.0, 0.01);
    EXPECT_GT(data.events[0].moment_nm, 0.99 * 3e10 * kSlip_m * area_m2);
    EXPECT_LT(data.events[0].moment_nm, 6e10 * kSlip_m * area_m2);
    // Potency and rigidity are those of an event each time it happens. The rigidity is the mean of
    // both sides, where the moment has that of the softer one.
    EXPECT_NEAR(data.sources[1].potency_m3, kSlip_m * area_m2, 0.01 * kSlip_m * area_m2);
    EXPECT_GT(data.sources[1].rigidity_pa, 3e10);
    EXPECT_LT(data.sources[1].rigidity_pa, 6e10);
    EXPECT_GE(data.sources[1].potency_m3 * data.sources[1].rigidity_pa,
              (1.0 - 1e-12) * data.events[0].moment_nm);
    EXPECT_TRUE(std::isnan(data.sources[0].potency_m3)) << "the total";
    EXPECT_TRUE(std::isnan(data.sources[1].length_m)) << "no grid";
    // Extent of a hat 2 kPatch_m wide, by whole halves of elements.
    EXPECT_NEAR(data.sources[1].slip_length_m, 2.0 * kPatch_m, 5e3 + 1e-6);
    EXPECT_NEAR(data.events[0].mw, (std::log10(data.events[0].moment_nm) - 9.1) / 1.5, 1e-12);
    EXPECT_LE(data.events[0].max_slip_m, kSlip_m);
    EXPECT_GT(data.events[0].max_slip_m, 0.8 * kSlip_m);  // no node lies at its top
    EXPECT_EQ(data.events[1].source_id, "second");
    EXPECT_EQ(data.events[1].time_s, kSecond_s);
}

TEST_F(ScenarioDataset, HasNoTotalWhileAModelIsMissing) {
    scenario();
    job_.time.end_s = 0.0;
    job_.scenario->events[1].time_s = 0.0;
    mesh();
    solve();
    std::filesystem::remove(jobs::source_path(path("work"), "second"));

    const GreensDataset data = package();

    EXPECT_EQ(data.sources[0].status, 0);
    EXPECT_TRUE(std::isnan(value(data, 0, 0, 0).x));
    EXPECT_EQ(data.sources[1].status, 1);
    EXPECT_EQ(data.sources[2].status, 0);
    EXPECT_EQ(summary_.sources_missing, 1);
}

TEST_F(ScenarioDataset, AFaultGoesAsFarAsItsModelsSlip) {
    unit_sources();
    const auto fault = job_.fault;
    scenario();
    job_.fault = fault;
    std::get<jobs::PlaneGeometry>(job_.fault).length_m = kPatch_m;  // a third of the hats together
    job_.time.end_s = 0.0;
    job_.scenario->events[1].time_s = 0.0;
    mesh();
    solve();

    const GreensDataset data = package();

    ASSERT_EQ(data.events.size(), 2u);
    for (const auto& event : data.events) {
        EXPECT_NEAR(event.potency_ratio, 1.0, 0.01);
    }
}

}  // namespace
}  // namespace kaname::convergence::scenario_dataset_test

#endif
