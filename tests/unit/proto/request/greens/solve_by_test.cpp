// SPDX-License-Identifier: BSD-3-Clause
#include <set>

#include "proto/request/greens/defaults.hpp"
#include "proto/request/greens/load.hpp"
#include "proto/request/greens/plan.hpp"
#include "proto/request/greens/validate.hpp"
#include "tests/unit/proto/request/greens/example_request.hpp"

namespace kaname::request::solve_by_test {
namespace {

using namespace examples;

LoadedBatch batch_of(const std::string& solve_by, const std::string& from = "",
                     const std::string& to = "") {
    LoadedBatch loaded;
    loaded.batch = read_yaml(from.empty() ? kPlaneYaml : with(kPlaneYaml, from, to));
    loaded.batch.set_solve_by(solve_by);
    loaded.stations = {{"A", 135.2, 34.1, {}, "stations.list[0]"},
                       {"B", 135.3, 34.2, {}, "stations.list[1]"}};
    loaded.stations[1].look = unit_look(3.0, 0.0, 4.0);
    return loaded;
}

std::set<std::string> rules_broken(const LoadedBatch& loaded) {
    std::set<std::string> fields;
    for (const Violation& violation : validate(loaded.batch, {}, loaded.stations)) {
        fields.insert(violation.field);
    }
    return fields;
}

TEST(SolveBy, ASourcesJobKeepsItsKeys) {
    LoadedBatch open = batch_of("");
    LoadedBatch named = batch_of("sources");
    fill_defaults(open.batch);
    fill_defaults(named.batch);
    EXPECT_EQ(make_plan(open).package_key, make_plan(named).package_key);
    EXPECT_EQ(make_plan(open).sources[0].key, make_plan(named).sources[0].key);
    EXPECT_TRUE(make_plan(open).forces.empty());
}

TEST(SolveBy, ReceiversAreForcesWhoseKeysKnowPlaceAndDirectionAlone) {
    LoadedBatch loaded = batch_of(kSolveByReceivers);
    fill_defaults(loaded.batch);
    EXPECT_EQ(loaded.batch.output().surface(), "none");
    const Plan plan = make_plan(loaded);
    ASSERT_EQ(plan.forces.size(), 4U);
    EXPECT_EQ(plan.forces[0].id, "A/east");
    EXPECT_EQ(plan.forces[3].id, "B/look");
    EXPECT_EQ(plan.sources.size(), source_ids(loaded.batch).size());

    LoadedBatch other = loaded;
    other.stations[0].id = "C";
    other.stations[1].look = unit_look(0.0, 0.0, 1.0);
    const Plan changed = make_plan(other);
    EXPECT_EQ(changed.forces[1].key, plan.forces[1].key);
    EXPECT_NE(changed.forces[3].key, plan.forces[3].key);
}

TEST(SolveBy, OtherPatchesOfAPlaneShareMeshAndForces) {
    LoadedBatch few = batch_of(kSolveByReceivers);
    LoadedBatch many = few;
    v1::Plane& plane = *few.batch.mutable_fault()->mutable_plane();
    plane.set_n_strike(3);
    plane.set_n_dip(2);
    *many.batch.mutable_fault() = few.batch.fault();
    many.batch.mutable_fault()->mutable_plane()->set_n_strike(9);
    fill_defaults(few.batch);
    fill_defaults(many.batch);
    EXPECT_EQ(make_plan(few).mesh_key, make_plan(many).mesh_key);
    EXPECT_EQ(make_plan(few).forces[0].key, make_plan(many).forces[0].key);
    EXPECT_NE(make_plan(few).package_key, make_plan(many).package_key);
}

TEST(SolveBy, AutoTakesTheFewerSolves) {
    LoadedBatch loaded = batch_of(kSolveByAuto);
    v1::Plane& plane = *loaded.batch.mutable_fault()->mutable_plane();
    plane.set_n_strike(5);
    plane.set_n_dip(4);
    LoadedBatch with_surface = loaded;
    fill_defaults(loaded.batch);
    const std::string chosen = choose_solve_by(loaded.batch, loaded.stations, true);
    EXPECT_EQ(loaded.batch.solve_by(), kSolveByReceivers);
    EXPECT_EQ(loaded.batch.output().surface(), "none");
    EXPECT_NE(chosen.find("4 forces"), std::string::npos) << chosen;

    fill_defaults(with_surface.batch);
    (void)choose_solve_by(with_surface.batch, with_surface.stations, false);
    EXPECT_EQ(with_surface.batch.solve_by(), "");

    LoadedBatch one = batch_of(kSolveByAuto);
    one.batch.mutable_fault()->mutable_plane()->set_n_strike(1);
    one.batch.mutable_fault()->mutable_plane()->set_n_dip(1);
    fill_defaults(one.batch);
    (void)choose_solve_by(one.batch, one.stations, true);
    EXPECT_EQ(one.batch.solve_by(), "");
}

TEST(SolveBy, RefusesWhatForcesCannotGive) {
    EXPECT_EQ(rules_broken(batch_of(kSolveByReceivers)), std::set<std::string>{});
    EXPECT_TRUE(rules_broken(batch_of("patches")).contains("solve_by"));

    LoadedBatch surface = batch_of(kSolveByReceivers);
    surface.batch.mutable_output()->set_surface("auto");
    EXPECT_TRUE(rules_broken(surface).contains("output.surface"));

    LoadedBatch multistep = batch_of(kSolveByReceivers);
    multistep.batch.mutable_solver()->set_method("multistep2018");
    EXPECT_TRUE(rules_broken(multistep).contains("solver.method"));

    LoadedBatch moved = batch_of(kSolveByReceivers);
    moved.batch.mutable_boundaries()->mutable_west()->mutable_displacement()->set_east_m(1.0);
    EXPECT_TRUE(rules_broken(moved).contains("solve_by"));

    LoadedBatch odd = batch_of(kSolveByReceivers);
    odd.stations[0].id = "A, B";
    EXPECT_TRUE(rules_broken(odd).contains("stations.list[0]"));
}

TEST(SolveBy, ALookHasThreePartsAndADirection) {
    LoadedBatch loaded = batch_of("");
    v1::Station& station = *loaded.batch.mutable_stations()->mutable_list(0);
    station.set_look_up(1.0);
    EXPECT_TRUE(rules_broken(loaded).contains("stations.list[0]"));
    station.set_look_up(0.0);
    station.set_look_east(0.0);
    station.set_look_north(0.0);
    EXPECT_TRUE(rules_broken(loaded).contains("stations.list[0].look_up"));
}

}  // namespace
}  // namespace kaname::request::solve_by_test
