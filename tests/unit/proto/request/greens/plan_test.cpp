// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/greens/plan.hpp"

#include <set>

#include "proto/request/greens/defaults.hpp"
#include "tests/unit/proto/request/greens/example_request.hpp"

namespace kaname::request::plan_test {
namespace {

using namespace examples;

Plan plan_of(const std::string& from = "", const std::string& to = "") {
    LoadedBatch loaded;
    loaded.batch = read_yaml(from.empty() ? kPlaneYaml : with(kPlaneYaml, from, to));
    for (const v1::Station& station : loaded.batch.stations().list()) {
        loaded.stations.push_back({station.id(), station.lon_deg(), station.lat_deg(), {}, ""});
        if (station.has_depth_m()) {
            loaded.stations.back().depth_m = station.depth_m();
        }
    }
    fill_defaults(loaded.batch);
    return make_plan(loaded);
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
    LoadedBatch moved;
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
    LoadedBatch loaded;
    loaded.batch = read_yaml(kPlaneYaml);
    fill_defaults(loaded.batch);
    const Plan base = make_plan(loaded);
    loaded.batch.mutable_output()->set_checkpoint("full");
    loaded.batch.mutable_output()->set_checkpoint_interval_s(5.0);

    EXPECT_EQ(keys(make_plan(loaded)), keys(base));
}

/// Two planes, the second with patches.
LoadedBatch several_batch() {
    LoadedBatch loaded;
    loaded.batch = read_yaml(kPlaneYaml);
    const v1::Plane plane = loaded.batch.fault().plane();
    loaded.batch.mutable_fault()->clear_plane();
    for (const char* name : {"main", "splay"}) {
        v1::NamedFault& named = *loaded.batch.mutable_fault()->add_several();
        named.set_name(name);
        *named.mutable_plane() = plane;
        named.mutable_plane()->clear_rake_deg();
        named.mutable_plane()->clear_components();
    }
    loaded.batch.mutable_fault()->mutable_several(1)->mutable_plane()->set_n_strike(2);
    return loaded;
}

TEST(Plan, SourcesOfSeveralFaultsCarryTheFaultsName) {
    LoadedBatch loaded = several_batch();
    fill_defaults(loaded.batch);

    EXPECT_EQ(source_ids(loaded.batch),
              (std::vector<std::string>{"main/s00d00/strike_slip", "main/s00d00/dip_slip",
                                        "splay/s00d00/strike_slip", "splay/s00d00/dip_slip",
                                        "splay/s01d00/strike_slip", "splay/s01d00/dip_slip"}));
}

TEST(Plan, DirectionsOfSlipOnSeveralFaultsKeepTheMesh) {
    LoadedBatch base = several_batch(), other = several_batch(), wider = several_batch();
    other.batch.mutable_fault()->mutable_several(0)->mutable_plane()->add_rake_deg(45.0);
    wider.batch.mutable_fault()->mutable_several(0)->mutable_plane()->set_n_dip(2);
    for (LoadedBatch* loaded : {&base, &other, &wider}) {
        fill_defaults(loaded->batch);
    }

    EXPECT_EQ(make_plan(other).mesh_key, make_plan(base).mesh_key);
    EXPECT_EQ(make_plan(other).sources.at(1).key, make_plan(base).sources.at(2).key)
        << "source splay/s00d00/strike_slip";
    EXPECT_NE(make_plan(wider).mesh_key, make_plan(base).mesh_key);
}

}  // namespace
}  // namespace kaname::request::plan_test
