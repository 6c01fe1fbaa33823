// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/greens/scenario.hpp"

#include <functional>

#include "proto/request/greens/defaults.hpp"
#include "proto/request/greens/plan.hpp"
#include "proto/request/greens/validate.hpp"
#include "tests/unit/proto/request/greens/example_request.hpp"

namespace kaname::request::scenario_test {
namespace {

using namespace examples;

const std::string kPatch =
    "{lon_deg: 135, lat_deg: 33, depth_km: 6, length_km: 10, width_km: 8, strike_deg: 0, "
    "dip_deg: 90, rake_deg: 0, slip_m: 2}";

/// The plane example with two events and no fault.
v1::GreensBatch scenario() {
    std::string text = kPlaneYaml;
    text.replace(text.find("GreensBatch"), 11, "Scenario");
    const auto fault = text.find("fault:");
    text.erase(fault, text.find("stations:") - fault);
    return read_yaml(text + "events:\n  - {name: main, patches: [" + kPatch + "]}\n" +
                     "  - {name: after, time_years: 1, patches: [" + kPatch +
                     "], history: {kind: logarithmic, time_constant_days: 10}, scale: 0.2}\n");
}

void expect_broken(const std::function<void(v1::GreensBatch&)>& change,
                   const std::string& expected) {
    v1::GreensBatch batch = scenario();
    change(batch);
    EXPECT_EQ(lines(validate(batch)), expected.empty() ? "" : expected + "\n");
}

Plan plan_of(const v1::GreensBatch& batch) {
    LoadedBatch loaded{batch, {}, {}};
    fill_defaults(loaded.batch);
    return make_plan(loaded);
}

TEST(ScenarioRequest, TheFaultMayFollowFromTheSlipModel) {
    expect_broken([](auto&) {}, "");
}

TEST(ScenarioRequest, EventsAndBatchesKeepApart) {
    expect_broken(
        [](auto& b) { b.clear_events(); },
        "events: must have 1 to 1000 events, or none with moved or loaded sides (boundaries), "
        "got 0");
    v1::GreensBatch batch = plane_batch();
    *batch.add_events() = scenario().events(0);
    batch.mutable_output()->mutable_volume()->add_epochs_s(0.0);
    EXPECT_EQ(lines(validate(batch)),
              "events: must be left out: they belong to schema kaname.v1.Scenario\n"
              "output.volume: must be left out: it belongs to schema kaname.v1.Scenario\n");
}

TEST(ScenarioRequest, EventsAreNamedOnceAndHaveOneModel) {
    expect_broken([](auto& b) { b.mutable_events(1)->set_name("main"); },
                  "events[1].name: must be unique, got 'main'");
    expect_broken(
        [](auto& b) { b.mutable_events(0)->mutable_slip_model()->set_path("a.fsp"); },
        "events[0]: must have exactly one of slip_model, patches, double_couple and moment");
    expect_broken([](auto& b) { b.mutable_events(0)->mutable_patches(0)->clear_slip_m(); },
                  "events[0].patches[0].slip_m: must be given, or magnitude in its place");
    expect_broken([](auto& b) { b.mutable_events(0)->set_format("csi_gmt"); },
                  "events[0].format: must be left out without slip_model");
}

TEST(ScenarioRequest, APlaneThatFollowsFromPatchesDips) {
    v1::GreensBatch batch = scenario();
    batch.mutable_events(0)->mutable_patches(0)->set_dip_deg(0.0);
    fill_defaults(batch);

    EXPECT_EQ(lines(validate(batch)).substr(0, lines(validate(batch)).find(';')),
              "events[0].patches[0].dip_deg: must be > 0 where the fault follows from the patches, "
              "got 0");
}

TEST(ScenarioRequest, NamesOfReceiversAreThoseOfEvents) {
    v1::GreensBatch batch = scenario();
    batch.mutable_time()->set_method("stepping");
    for (const char* name : {"east-segment", "east_point", "2nd"}) {
        v1::Volume& volume = *batch.mutable_output()->mutable_volume();
        volume.clear_epochs_s();
        volume.add_epochs_s(0.0);
        v1::Receiver& receiver = *volume.add_receivers();
        receiver.set_name(name);
        receiver.set_strike_deg(0.0);
        receiver.set_dip_deg(45.0);
        receiver.set_rake_deg(0.0);
        batch.mutable_events(0)->set_name(name);
    }

    EXPECT_EQ(lines(validate(batch)), "");
}

TEST(ScenarioRequest, SlipOfPatchesIsNotInCentimetres) {
    expect_broken([](auto& b) { b.mutable_events(0)->mutable_patches(0)->set_slip_m(250.0); },
                  "events[0].patches[0].slip_m: must be in 0..100, got 250; is it in centimetres?");
    expect_broken([](auto& b) { b.mutable_events(0)->mutable_patches(0)->set_opening_m(-120.0); },
                  "events[0].patches[0].opening_m: must be in -100..100, got -120");
}

TEST(ScenarioRequest, PatchesAsLargeAsAPlanetHaveTheirUnitAskedFor) {
    expect_broken([](auto& b) { b.mutable_events(0)->mutable_patches(0)->set_length_m(35e6); },
                  "events[0].patches[0].length_m: must be at most 3000000, got 3.5e+07; is it in "
                  "another unit?");
    expect_broken([](auto& b) { b.mutable_events(0)->mutable_patches(0)->set_depth_m(12e6); },
                  "events[0].patches[0].depth_m: must be at most 1000000, got 1.2e+07; is it in "
                  "another unit?");
}

TEST(ScenarioRequest, WithoutEventsNothingElseIsToldOfABoxThatFollowsFromThem) {
    expect_broken(
        [](auto& b) {
            b.clear_events();
            b.clear_region();
            b.clear_mesh();
        },
        "events: must have 1 to 1000 events, or none with moved or loaded sides (boundaries), got "
        "0");
}

TEST(ScenarioRequest, WhatAFileLeavesUnsaidIsSaidByKeys) {
    const auto of_file = [](v1::GreensBatch& b) -> v1::SlipEvent& {
        b.mutable_events(0)->clear_patches();
        b.mutable_events(0)->mutable_slip_model()->set_path("a.flt");
        return *b.mutable_events(0);
    };
    expect_broken(
        [&](auto& b) {
            v1::SlipEvent& event = of_file(b);
            event.set_length_unit("km");
            event.set_slip_unit("cm");
            event.set_position("centre");
            event.set_rake_deg(90.0);
            event.mutable_origin()->set_lon_deg(130.0);
            event.mutable_origin()->set_lat_deg(32.0);
        },
        "");
    expect_broken(
        [&](auto& b) {
            v1::SlipEvent& event = of_file(b);
            event.set_slip_unit("mm");
            event.mutable_origin()->set_lon_deg(130.0);
        },
        "events[0].slip_unit: must be m or cm, got 'mm'; did you mean m?\n"
        "events[0].origin.lat_deg: must be given");
    expect_broken([](auto& b) { b.mutable_events(0)->set_length_unit("km"); },
                  "events[0].length_unit: must be left out without slip_model");
}

v1::NamedFault plane_named(const std::string& name) {
    v1::NamedFault fault;
    fault.set_name(name);
    *fault.mutable_plane() = plane_batch().fault().plane();
    return fault;
}

TEST(ScenarioRequest, SeveralFaultsHaveNamesAndStandAlone) {
    expect_broken(
        [](auto& b) {
            *b.mutable_fault()->add_several() = plane_named("main");
            *b.mutable_fault()->add_several() = plane_named("splay");
        },
        "");
    expect_broken(
        [](auto& b) {
            *b.mutable_fault()->add_several() = plane_named("main");
            *b.mutable_fault()->add_several() = plane_named("main");
            b.mutable_fault()->add_several()->set_name("none");
            b.mutable_fault()->add_several()->set_name("slab");
            b.mutable_fault()->mutable_several(3)->mutable_interface()->set_of("top");
            *b.mutable_fault()->mutable_plane() = plane_batch().fault().plane();
        },
        "fault.several: must stand alone, without interface, plane and mesh\n"
        "fault.several[1].name: must be unique, got 'main'\n"
        "fault.several[2]: must have exactly one of interface and plane\n"
        "fault.several[3].interface: needs structure.volumes: in layers, several faults are "
        "planes");
    v1::NamedFault with_patches = plane_named("main");
    with_patches.mutable_plane()->set_n_strike(2);
    expect_broken([&](auto& b) { *b.mutable_fault()->add_several() = with_patches; },
                  "fault.several[0].plane: must have none of rake_deg, n_strike, n_dip and "
                  "open_edges in a scenario: events have slip");
}

TEST(ScenarioRequest, TimesStayWithinTheModels) {
    expect_broken([](auto& b) { b.mutable_events(0)->set_time_s(1e9); },
                  "events[0].time_s: must be in 0..63115200, got 1e+09");
    expect_broken(
        [](auto& b) {
            b.mutable_events(0)->set_repeats(3);
            b.mutable_events(0)->set_interval_s(4e7);
        },
        "events[0].repeats: must end by time.end_s = 63115200, the last would be at 8e+07");
    expect_broken([](auto& b) { b.mutable_events(0)->set_repeats(2); },
                  "events[0].interval_s: must be > 0, got 0");
    expect_broken([](auto& b) { b.mutable_events(0)->mutable_history()->set_kind("steady"); },
                  "events[0].history.duration_s: must be > 0, got 0");
}

TEST(ScenarioRequest, AVolumeNeedsTimeStepsAndItsReceiversNames) {
    expect_broken(
        [](auto& b) {
            b.mutable_output()->mutable_volume()->add_epochs_s(0.0);
            b.mutable_time()->set_method("spectrum");
            b.mutable_time()->clear_step_s();
        },
        "output.volume: needs time steps: time.method auto or stepping, and a solver.method other "
        "than multistep2018");
    expect_broken(
        [](auto& b) {
            v1::Receiver& receiver = *b.mutable_output()->mutable_volume()->add_receivers();
            receiver.set_name("Next");
            receiver.set_strike_deg(0.0);
            receiver.set_dip_deg(95.0);
            receiver.set_rake_deg(0.0);
        },
        "output.volume.receivers[0].name: must be 1 to 63 lower-case letters, digits, '-' and '_', "
        "beginning with a letter or digit, got 'Next'\n"
        "output.volume.receivers[0].dip_deg: must be in 0..90, got 95\n"
        "output.volume.epochs_s: must be given with receivers");
}

TEST(ScenarioRequest, AVolumeGoesWithMovedSidesAlsoFromAFileThatIsNotYetRead) {
    expect_broken(
        [](auto& b) {
            b.mutable_output()->mutable_volume()->add_epochs_s(0.0);
            v1::SideDisplacement& moved =
                *b.mutable_boundaries()->mutable_west()->mutable_displacement();
            moved.mutable_file()->set_path("west.csv");
        },
        "");
}

TEST(ScenarioRequest, EventsWithOneModelShareASource) {
    v1::GreensBatch batch = scenario();

    EXPECT_EQ(source_ids(batch), std::vector<std::string>{"main"});

    batch.mutable_events(1)->mutable_patches(0)->set_slip_m(3.0);
    EXPECT_EQ(source_ids(batch), (std::vector<std::string>{"main", "after"}));
}

TEST(ScenarioRequest, TimesAndScalesShapeThePackageOnly) {
    const Plan before = plan_of(scenario());
    v1::GreensBatch later = scenario();
    later.mutable_events(1)->set_time_s(5e6);
    later.mutable_events(1)->set_scale(7.0);

    const Plan after = plan_of(later);

    EXPECT_EQ(after.mesh_key, before.mesh_key);
    EXPECT_EQ(after.sources[0].key, before.sources[0].key);
    EXPECT_NE(after.package_key, before.package_key);
}

TEST(ScenarioRequest, WithAVolumeTimesShapeTheSourcesToo) {
    v1::GreensBatch batch = scenario();
    batch.mutable_output()->mutable_volume()->add_epochs_s(0.0);
    const Plan before = plan_of(batch);
    batch.mutable_events(1)->set_time_s(5e6);

    const Plan after = plan_of(batch);

    EXPECT_EQ(after.mesh_key, before.mesh_key);
    EXPECT_NE(after.sources[0].key, before.sources[0].key);
}

TEST(ScenarioRequest, ASlipModelShapesTheMesh) {
    v1::GreensBatch batch = scenario();
    const Plan before = plan_of(batch);
    batch.mutable_events(0)->mutable_patches(0)->set_length_m(12e3);

    EXPECT_NE(plan_of(batch).mesh_key, before.mesh_key);
}

}  // namespace
}  // namespace kaname::request::scenario_test
