// SPDX-License-Identifier: BSD-3-Clause
#include <functional>

#include "proto/request/greens/validate.hpp"
#include "tests/unit/proto/request/greens/example_request.hpp"

namespace kaname::request::validate_fault_test {
namespace {

using namespace examples;

std::string after_plane(const std::function<void(v1::Plane&)>& change) {
    v1::GreensBatch batch = plane_batch();
    change(*batch.mutable_fault()->mutable_plane());
    return lines(validate(batch));
}

std::string after_interface(const std::function<void(v1::Interface&)>& change) {
    v1::GreensBatch batch = read_yaml(kInterfaceYaml);
    change(*batch.mutable_fault()->mutable_interface());
    return lines(validate(batch));
}

std::string after_patches(const std::function<void(v1::PatchGrid&)>& change) {
    return after_interface([&](v1::Interface& i) { change(*i.mutable_patches()); });
}

TEST(ValidateFault, NeedsAGeometry) {
    v1::GreensBatch batch = plane_batch();
    batch.clear_fault();

    EXPECT_EQ(lines(validate(batch)),
              "fault: must have exactly one of interface, plane and several\n");

    batch.mutable_boundaries()->mutable_east()->mutable_displacement()->set_east_m(1.0);
    EXPECT_EQ(lines(validate(batch)),
              "fault: must have exactly one of interface, plane and several; sides alone move a "
              "Scenario without events\n");
}

TEST(ValidateFault, PlanePlacesAndAnglesAreInRange) {
    EXPECT_EQ(after_plane([](auto& p) { p.clear_centre_lat_deg(); }),
              "fault.plane.centre_lat_deg: must be given\n");
    EXPECT_EQ(after_plane([](auto& p) { p.clear_top_depth_m(); }),
              "fault.plane.top_depth_m: must be given\n");
    EXPECT_EQ(after_plane([](auto& p) { p.set_top_depth_m(-1); }),
              "fault.plane.top_depth_m: must be >= 0 (depth counts downwards), got -1\n");
    EXPECT_EQ(after_plane([](auto& p) { p.clear_strike_deg(); }),
              "fault.plane.strike_deg: must be given\n");
    EXPECT_EQ(after_plane([](auto& p) { p.set_strike_deg(400); }),
              "fault.plane.strike_deg: must be in -360..360, got 400\n");
    EXPECT_EQ(after_plane([](auto& p) { p.clear_dip_deg(); }),
              "fault.plane.dip_deg: must be in 1..90, got 0\n");
    EXPECT_EQ(after_plane([](auto& p) { p.set_dip_deg(90.1); }),
              "fault.plane.dip_deg: must be in 1..90, got 90.1\n");
}

TEST(ValidateFault, PlaneSizesArePositiveAndInsideTheModel) {
    EXPECT_EQ(after_plane([](auto& p) { p.set_length_m(0); }),
              "fault.plane.length_m: must be > 0, got 0\n");
    EXPECT_EQ(after_plane([](auto& p) { p.set_width_m(-1); }),
              "fault.plane.width_m: must be > 0, got -1\n");
    EXPECT_EQ(after_plane([](auto& p) { p.set_width_m(100e3); }),
              "fault.plane.width_m: puts the lower edge at depth 100000, must be above the model's "
              "bottom at 100000\n");
}

TEST(ValidateFault, RakesAreUniqueAndExcludeComponents) {
    EXPECT_EQ(after_plane([](auto& p) {
                  p.add_rake_deg(90);
                  p.add_rake_deg(90);
                  p.add_rake_deg(500);
              }),
              "fault.plane.rake_deg[1]: must be unique, got 90\n"
              "fault.plane.rake_deg[2]: must be in -360..360, got 500\n");
    EXPECT_EQ(after_plane([](auto& p) {
                  p.add_rake_deg(90);
                  p.add_components("dip_slip");
              }),
              "fault.plane.components: must be absent where rake_deg is given\n");
}

TEST(ValidateFault, ComponentsAreKnownAndUnique) {
    EXPECT_EQ(after_plane([](auto& p) {
                  p.add_components("dip_slip");
                  p.add_components("opening");
                  p.add_components("dip_slip");
              }),
              "fault.plane.components[1]: must be strike_slip or dip_slip, got 'opening'\n"
              "fault.plane.components[2]: must be unique, got 'dip_slip'\n");
    EXPECT_EQ(after_patches([](auto& p) { p.add_components("dipslip"); }),
              "fault.interface.patches.components[0]: must be strike_slip or dip_slip, got "
              "'dipslip'; did you mean dip_slip?\n");
}

TEST(ValidateFault, SourcesAreAtMostTenThousand) {
    const auto grid = [](unsigned n_strike, unsigned n_dip) {
        return [=](auto& p) {
            p.set_n_strike(n_strike);
            p.set_n_dip(n_dip);
        };
    };

    EXPECT_EQ(after_patches(grid(250, 200)), "");
    EXPECT_EQ(after_patches(grid(251, 200)),
              "fault.interface.patches: n_strike x n_dip x directions must be at most 100000 "
              "sources, got 251 x 200 x 2\n");
    EXPECT_EQ(after_patches(grid(4294967295u, 4294967295u)),
              "fault.interface.patches: n_strike x n_dip x directions must be at most 100000 "
              "sources, got 4294967295 x 4294967295 x 2\n");
    EXPECT_EQ(
        after_plane(grid(100001, 0)),
        "fault.plane: n_strike x n_dip x directions must be at most 100000 sources, got 100001 "
        "x 1 x 2\n");
}

TEST(ValidateFault, InterfaceDepthsAreOrdered) {
    EXPECT_EQ(after_interface([](auto& i) { i.clear_max_depth_m(); }),
              "fault.interface.max_depth_m: must be > 0, got 0\n");
    EXPECT_EQ(after_interface([](auto& i) { i.set_max_depth_m(8000); }),
              "fault.interface.max_depth_m: must be > min_depth_m = 8000, got 8000\n");
    EXPECT_EQ(after_interface([](auto& i) { i.set_min_depth_m(120e3); }),
              "fault.interface.max_depth_m: must be > min_depth_m = 120000, got 100000\n");
    EXPECT_EQ(after_interface([](auto& i) { i.set_max_depth_m(300e3); }),
              "fault.interface.max_depth_m: must be < region.depth_m = 300000, got 300000\n");
    EXPECT_EQ(after_interface([](auto& i) { i.set_min_depth_m(-5); }),
              "fault.interface.min_depth_m: must be >= 0, got -5\n");
    EXPECT_EQ(after_interface([](auto& i) { i.set_smoothing_length_m(-5); }),
              "fault.interface.smoothing_length_m: must be >= 0, got -5\n");
}

TEST(ValidateFault, InterfaceNeedsASurfaceAndPatches) {
    EXPECT_EQ(after_interface([](auto& i) {
                  i.clear_surface();
                  i.clear_patches();
              }),
              "fault.interface.surface: must name a file\n"
              "fault.interface.patches: must be given\n");
}

TEST(ValidateFault, PatchGridsArePlacedAndSized) {
    EXPECT_EQ(after_patches([](auto& p) { p = v1::PatchGrid(); }),
              "fault.interface.patches.origin_lon_deg: must be given\n"
              "fault.interface.patches.origin_lat_deg: must be given\n"
              "fault.interface.patches.strike_deg: must be given\n"
              "fault.interface.patches.n_strike: must be > 0, got 0\n"
              "fault.interface.patches.n_dip: must be > 0, got 0\n"
              "fault.interface.patches.spacing_strike_m: must be > 0, got 0\n"
              "fault.interface.patches.spacing_dip_m: must be > 0, got 0\n");
}

/// A batch of two planes.
std::string after_several(const std::function<void(v1::Fault&)>& change) {
    v1::GreensBatch batch = plane_batch();
    const v1::Plane plane = batch.fault().plane();
    batch.mutable_fault()->clear_plane();
    for (const char* name : {"main", "splay"}) {
        v1::NamedFault& named = *batch.mutable_fault()->add_several();
        named.set_name(name);
        *named.mutable_plane() = plane;
    }
    change(*batch.mutable_fault());
    return lines(validate(batch));
}

TEST(ValidateFault, SeveralFaultsOfABatchHavePatchesOfTheirOwn) {
    EXPECT_EQ(after_several([](auto& f) {
                  f.mutable_several(0)->mutable_plane()->set_n_strike(3);
                  f.mutable_several(1)->mutable_plane()->add_rake_deg(90.0);
              }),
              "");
    EXPECT_EQ(after_several([](auto& f) {
                  f.mutable_several(1)->mutable_plane()->set_dip_deg(0.5);
                  f.mutable_several(1)->mutable_plane()->add_components("dipslip");
                  f.mutable_several(1)->set_name("main");
              }),
              "fault.several[1].name: must be unique, got 'main'\n"
              "fault.several[1].plane.dip_deg: must be in 1..90, got 0.5\n"
              "fault.several[1].plane.components[0]: must be strike_slip or dip_slip, got "
              "'dipslip'; did you mean dip_slip?\n");
}

TEST(ValidateFault, SourcesOfSeveralFaultsAreCountedTogether) {
    EXPECT_EQ(after_several([](auto& f) {
                  for (v1::NamedFault& named : *f.mutable_several()) {
                      named.mutable_plane()->set_n_strike(300);
                      named.mutable_plane()->set_n_dip(100);
                  }
              }),
              "fault.several: must have at most 100000 sources on all faults together, got "
              "120000\n");
}

}  // namespace
}  // namespace kaname::request::validate_fault_test
