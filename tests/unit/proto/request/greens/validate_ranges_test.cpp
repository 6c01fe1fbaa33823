// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "proto/request/greens/defaults.hpp"
#include "proto/request/greens/validate.hpp"
#include "tests/unit/proto/request/greens/example_request.hpp"

namespace kaname::request::validate_ranges_test {
namespace {

using namespace examples;

/// The example with this in place of the mantle's viscosity, filled in as when it is loaded.
v1::GreensBatch with(const std::string& viscosity, const std::string& more = "") {
    std::string text = kPlaneYaml + more;
    const std::string number = "viscosity_pa_s: 1e19";
    text.replace(text.find(number), number.size(), viscosity);
    v1::GreensBatch batch = read_yaml(text);
    batch.mutable_time()->clear_step_s();
    fill_defaults(batch);
    return batch;
}

std::string broken(const std::string& viscosity, const std::string& more = "") {
    return lines(validate(with(viscosity, more)));
}

TEST(ValidateRanges, AMappingUnderTheNumbersKeyIsARange) {
    const v1::GreensBatch batch = with("viscosity_pa_s: {from: 1e18, to: 1e20}");
    const v1::Material& mantle = batch.structure().materials(1);
    EXPECT_EQ(mantle.viscosity_range_pa_s().from(), 1e18);
    EXPECT_EQ(mantle.viscosity_range_pa_s().to(), 1e20);
    EXPECT_NEAR(mantle.viscosity_pa_s(), 1e19, 1e6);  // the reference, where one number is needed
    EXPECT_EQ(batch.time().method(), "spectrum");
    EXPECT_EQ(batch.time().spectrum_tolerance(), kDefaultRangeTolerance);
    const auto ranges = ranges_of(batch);
    ASSERT_EQ(ranges.size(), 1u);
    EXPECT_EQ(ranges[0].parameter, "mantle");
    EXPECT_EQ(lines(validate(batch)), "");
    EXPECT_EQ(with("viscosity_pa_s: {from: 1e18, to: 1e20, reference: 3e18}")
                  .structure()
                  .materials(1)
                  .viscosity_pa_s(),
              3e18);
}

TEST(ValidateRanges, AScenarioMayHaveThemWithoutMovedSidesAndVolumes) {
    v1::GreensBatch batch = with("viscosity_pa_s: {from: 1e18, to: 1e20}");
    batch.set_schema("kaname.v1.Scenario");
    batch.clear_fault();
    v1::SlipRectangle& patch = *batch.add_events()->add_patches();
    batch.mutable_events(0)->set_name("quake");
    patch.set_lon_deg(135.0);
    patch.set_lat_deg(33.0);
    patch.set_depth_m(6e3);
    patch.set_length_m(1e4);
    patch.set_width_m(8e3);
    patch.set_strike_deg(0.0);
    patch.set_dip_deg(90.0);
    patch.set_rake_deg(0.0);
    patch.set_slip_m(1.0);
    fill_defaults(batch);
    EXPECT_EQ(lines(validate(batch)), "");
    const std::string field = "structure.materials[1].viscosity_range_pa_s: must be a number ";
    v1::GreensBatch volume = batch;
    volume.mutable_output()->mutable_volume()->add_epochs_s(0.0);
    EXPECT_EQ(lines(validate(volume)),
              field + "with output.volume, whose snapshots need time steps\n");
    batch.mutable_boundaries()->mutable_west()->mutable_displacement()->set_east_m(1.0);
    EXPECT_NE(lines(validate(batch)).find(field + "in a scenario whose sides are moved or loaded"),
              std::string::npos);
}

TEST(ValidateRanges, AMeshOfOnesOwnHasTheReferenceToo) {
    std::string text = kMeshYaml;
    const std::string elastic = "mu_gpa: 30}";
    text.replace(text.find(elastic), elastic.size(),
                 "mu_gpa: 30, viscosity_pa_s: {from: 1e18, to: 1e20}}");
    v1::GreensBatch batch = read_yaml(text);
    fill_defaults(batch);
    ASSERT_EQ(ranges_of(batch).size(), 1u);
    EXPECT_NEAR(ranges_of(batch)[0].number_pa_s, 1e19, 1e6);  // 0 would be elastic rock
}

TEST(ValidateRanges, NamesWhatIsWrong) {
    const std::string field = "structure.materials[1].viscosity_range_pa_s";
    EXPECT_EQ(broken("viscosity_pa_s: {from: 1e20, to: 1e18}"),
              field + ".to: must exceed from = 1e+20, got 1e+18\n");
    EXPECT_EQ(broken("viscosity_pa_s: {from: 1e17, to: 1e24}"),
              field + ".to: must be at most 1000000 times from = 1e+17, got 1e+24\n");
    EXPECT_EQ(broken("viscosity_pa_s: {from: 1e18, to: 1e20, reference: 1e21}"),
              field + ".reference: must be within 1e+18..1e+20, got 1e+21\n");
    EXPECT_EQ(broken("viscosity_range_pa_s: {from: 1e18, to: 1e20}, viscosity_pa_s: 5e19"),
              "structure.materials[1].viscosity_pa_s: must be left out beside a range, whose "
              "reference is 1e+19; got 5e+19\n");
    EXPECT_NE(broken("viscosity_pa_s: {from: 1e18}").find(field + ".to: must be given"),
              std::string::npos);
}

TEST(ValidateRanges, WhatCannotGoAlongWithARange) {
    const std::string range = "viscosity_pa_s: {from: 1e18, to: 1e20}";
    const auto says = [&](const std::string& found, const std::string& wanted) {
        EXPECT_NE(found.find(wanted), std::string::npos) << found;
    };
    v1::GreensBatch stepping = with(range);
    stepping.mutable_time()->set_method("stepping");
    says(lines(validate(stepping)), "time.method: must be spectrum or auto with a range");
    v1::GreensBatch coseismic = with(range);
    coseismic.mutable_time()->set_end_s(0.0);
    says(lines(validate(coseismic)), "time.end_s: must be > 0 with a range");
    v1::GreensBatch two = with(range + ", viscosity_group: rock");
    v1::Material& crust = *two.mutable_structure()->mutable_materials(0);
    crust.set_viscosity_group("rock");
    says(lines(validate(two)), "viscosity_group: is for materials whose viscosity has a range");
    crust.mutable_viscosity_range_pa_s()->set_from(1e18);
    crust.mutable_viscosity_range_pa_s()->set_to(1e21);
    fill_defaults(two);
    says(lines(validate(two)), "both are of viscosity 'rock'");
}

}  // namespace
}  // namespace kaname::request::validate_ranges_test
