// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/greens/plan.hpp"

#include <set>

#include "proto/spec/greens/defaults.hpp"
#include "tests/unit/proto/spec/greens/example_spec.hpp"

namespace kaname::spec {
namespace {

using namespace testing;

Plan plan_of(const std::string& from = "", const std::string& to = "") {
    LoadedSpec spec;
    spec.batch = read_yaml(from.empty() ? kPlaneYaml : with(kPlaneYaml, from, to));
    for (const v1::Station& station : spec.batch.stations().list()) {
        spec.stations.push_back({station.id(), station.lon_deg(), station.lat_deg(), {}, ""});
        if (station.has_depth_m()) {
            spec.stations.back().depth_m = station.depth_m();
        }
    }
    fill_defaults(spec.batch);
    return make_plan(spec);
}

std::set<std::string> keys(const Plan& plan) {
    std::set<std::string> all = {plan.mesh_key, plan.compat_key, plan.package_key};
    for (const PlannedSource& source : plan.sources) {
        all.insert(source.key);
    }
    return all;
}

TEST(Plan, EveryStageHasAKeyOfItsOwn) {
    const Plan plan = plan_of();

    EXPECT_EQ(keys(plan).size(), 3 + plan.sources.size());
    EXPECT_EQ(keys(plan), keys(plan_of()));
}

TEST(Plan, StationsAndEpochsOnlyChangeTheDataset) {
    const Plan base = plan_of();
    for (const auto& [from, to] : {std::pair{"lon_deg: 135.2", "lon_deg: 135.3"},
                                   std::pair{"epochs_years: [0, 1, 2]", "epochs_years: [0, 2]"}}) {
        const Plan other = plan_of(from, to);

        EXPECT_EQ(other.mesh_key, base.mesh_key);
        EXPECT_EQ(other.sources.at(0).key, base.sources.at(0).key);
        EXPECT_NE(other.package_key, base.package_key);
    }
}

TEST(Plan, BuriedStationsAreInTheSourceKeys) {
    const Plan buried = plan_of("lat_deg: 33.1}", "lat_deg: 33.1, depth_m: 100}");
    const Plan raised = plan_of("lat_deg: 33.1}", "lat_deg: 33.1, depth_m: -100}");

    EXPECT_NE(buried.sources.at(0).key, plan_of().sources.at(0).key);
    EXPECT_EQ(raised.sources.at(0).key, plan_of().sources.at(0).key);
}

TEST(Plan, WithoutSurfaceFieldsStationsAreInTheSourceKeys) {
    const std::string time = "time: {";
    const Plan one = plan_of(time, "output: {surface: none}\n" + time);
    LoadedSpec moved;
    moved.batch = read_yaml(with(kPlaneYaml, time, "output: {surface: none}\n" + time));
    fill_defaults(moved.batch);
    moved.stations = {{"G001", 135.3, 33.1, {}, ""}};

    EXPECT_NE(one.sources.at(0).key, plan_of().sources.at(0).key);
    EXPECT_NE(one.sources.at(0).key, make_plan(moved).sources.at(0).key);
}

TEST(Plan, ViscosityKeepsTheMesh) {
    const Plan base = plan_of();
    const Plan other = plan_of("viscosity_pa_s: 1e19", "viscosity_pa_s: 2e19");

    EXPECT_EQ(other.mesh_key, base.mesh_key);
    EXPECT_NE(other.sources.at(0).key, base.sources.at(0).key);
}

TEST(Plan, SolverAndMeshSizesChangeWhatTheyShould) {
    const Plan base = plan_of();
    const Plan finer = plan_of("size_at_fault_km: 4", "size_at_fault_km: 3");

    EXPECT_NE(finer.mesh_key, base.mesh_key);
    EXPECT_NE(finer.sources.at(0).key, base.sources.at(0).key);
}

TEST(Plan, CheckpointsAreInNoKey) {
    LoadedSpec spec;
    spec.batch = read_yaml(kPlaneYaml);
    fill_defaults(spec.batch);
    const Plan base = make_plan(spec);
    spec.batch.mutable_output()->set_checkpoint("full");
    spec.batch.mutable_output()->set_checkpoint_interval_s(5.0);

    EXPECT_EQ(keys(make_plan(spec)), keys(base));
}

}  // namespace
}  // namespace kaname::spec
