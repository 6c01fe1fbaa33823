// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/form/field_rules.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "proto/kaname/v1/greens.pb.h"
#include "proto/kaname/v1/rupture.pb.h"
#include "proto/kaname/v1/seismic_waves.pb.h"
#include "proto/kaname/v1/voxel_waves.pb.h"
#include "proto/request/kinds.hpp"

namespace kaname::request::field_rules_test {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using Found = std::vector<std::string>;

/// "field: message" of all that breaks a rule, after a violation of `told` if it is given.
Found broken(const google::protobuf::Message& message, const std::string& told = "") {
    // Times are written in milliseconds.
    Rules rules([](const std::string& field) { return field.ends_with("_s") ? 1e-3 : 1.0; });
    if (!told.empty()) {
        rules.fail(told, "told");
    }
    check_fields(message, rules);
    Found found;
    for (const Violation& violation : rules.take()) {
        found.push_back(violation.field + ": " + violation.message);
    }
    return found;
}

/// All fields of the requests, of whatever message.
std::vector<const FieldDescriptor*> all_fields() {
    std::vector<const FieldDescriptor*> fields;
    std::set<const Descriptor*> seen;
    std::vector<const Descriptor*> next;
    for (const Kind* kind : built_in_kinds().all()) {
        next.push_back(kind->prototype().GetDescriptor());
    }
    while (!next.empty()) {
        const Descriptor* type = next.back();
        next.pop_back();
        const int count = seen.insert(type).second ? type->field_count() : 0;
        for (int k = 0; k < count; ++k) {
            fields.push_back(type->field(k));
            if (type->field(k)->message_type() != nullptr) {
                next.push_back(type->field(k)->message_type());
            }
        }
    }
    return fields;
}

TEST(FieldRules, NumbersAreHeldAgainstTheirLimitsInTheUnitThatWasTyped) {
    v1::WaveTime time;
    time.set_step_s(-0.002);
    EXPECT_EQ(broken(time), (Found{"end_s: must be > 0, got 0", "step_s: must be >= 0, got -2"}));
    v1::SeismicScheme scheme;
    scheme.set_order(9);
    EXPECT_EQ(broken(scheme), Found{"order: must be in 2..7, got 9"});
    v1::Solver solver;
    solver.set_max_iterations(20000000);
    EXPECT_EQ(broken(solver), Found{"max_iterations: must be at most 1000000, got 20000000"});
}

TEST(FieldRules, ZeroIsAbsenceWhereAbsenceMeansSomething) {
    v1::AbsorbingLayer layer;
    layer.add_sides("x_min");
    EXPECT_EQ(broken(layer), Found{});
    layer.set_width_m(-1.0);
    EXPECT_EQ(broken(layer), Found{"width_m: must be > 0, got -1"});
    v1::BandDamping damping;
    damping.set_from_hz(1.0);
    EXPECT_EQ(broken(damping), Found{"ratio: must be given"});
    damping.set_ratio(0.0);
    EXPECT_EQ(broken(damping), Found{});
}

TEST(FieldRules, WordsAreThoseOfTheirChoicesAndOfAListEachOnce) {
    v1::AbsorbingLayer layer;
    layer.add_sides("x_min");
    layer.add_sides("x_mim");
    layer.add_sides("x_min");
    const Found found = broken(layer);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_NE(found[0].find("sides[1]: must be x_min, x_max"), std::string::npos) << found[0];
    EXPECT_NE(found[0].find("got 'x_mim'; did you mean x_min?"), std::string::npos) << found[0];
    EXPECT_EQ(found[1], "sides[2]: must be named once, got 'x_min' again");
    EXPECT_EQ(broken(v1::AbsorbingLayer()), Found{"sides: must be given"});
}

TEST(FieldRules, FieldsThatWereToldOfArePassedOver) {
    v1::WaveTime time;
    EXPECT_EQ(broken(time, "end_s"), Found{"end_s: told"});
    v1::WaveReceiver receiver;
    receiver.set_id("a");
    EXPECT_EQ(broken(receiver), Found{"at: must be given"});
    EXPECT_EQ(broken(receiver, "at.x_m"), Found{"at.x_m: told"});
}

TEST(FieldRules, BrokenRulesComeInTheOrderOfTheMessage) {
    v1::VoxelWaves waves;
    waves.set_schema("s");
    waves.set_name("n");
    waves.add_receivers()->set_id("b");
    waves.add_sources()->set_id("a");
    Found fields;
    for (const std::string& each : broken(waves, "time")) {
        fields.push_back(each.substr(0, each.find(": ")));
    }
    EXPECT_EQ(fields, (Found{"model.spacing_m", "receivers[0].at", "time", "time.end_s"}));
}

TEST(FieldRules, DefaultsAreFilledInWhereNothingIsGiven) {
    v1::VoxelWaves waves;
    waves.mutable_solver()->set_precision("single");
    fill_constants(waves);
    EXPECT_EQ(waves.solver().element(), "ovfem");
    EXPECT_EQ(waves.solver().precision(), "single");
    EXPECT_EQ(waves.output().checkpoint(), "auto");
    EXPECT_FALSE(waves.has_damping());
    EXPECT_EQ(waves.output().snapshot_stride(), 0U) << "belongs to snapshots_s";
    waves.mutable_output()->add_snapshots_s(1.0);
    fill_constants(waves);
    EXPECT_EQ(waves.output().snapshot_stride(), 1U);
    v1::SeismicWaves seismic;
    fill_constants(seismic);
    EXPECT_DOUBLE_EQ(seismic.mesh().growth(), 0.3);
    EXPECT_TRUE(seismic.solver().local_time_steps());
    v1::SeismicMesh with_file;
    with_file.mutable_file()->set_path("a.msh");
    fill_constants(with_file);
    EXPECT_EQ(with_file.growth(), 0.0) << "stands in place of file";
    EXPECT_EQ(with_file.length_unit(), "m");
    with_file.set_growth(0.2);
    EXPECT_EQ(broken(with_file), (Found{"max_frequency_hz: must be > 0, got 0",
                                        "growth: must be left out beside file"}));
}

TEST(FieldRules, EveryFieldOfARequestHasAMeaning) {
    for (const FieldDescriptor* field : all_fields()) {
        EXPECT_NE(rule_of(*field).meaning(), "") << field->full_name();
        EXPECT_TRUE(!rule_of(*field).meaning().ends_with(".") ||
                    rule_of(*field).meaning().ends_with("..."))
            << field->full_name();
    }
}

TEST(FieldRules, EveryDefaultIsOneOfTheValuesThatItsFieldMayHave) {
    for (const FieldDescriptor* field : all_fields()) {
        const v1::FieldRule& rule = rule_of(*field);
        for (const std::string& other : {rule.with(), rule.without()}) {
            EXPECT_TRUE(other.empty() ||
                        field->containing_type()->FindFieldByName(other) != nullptr)
                << field->full_name();
        }
        EXPECT_TRUE(rule.default_().empty() || rule.if_absent().empty()) << field->full_name();
        EXPECT_FALSE(rule.required() && !rule.default_().empty()) << field->full_name();
        const auto& choices = rule.choices();
        if (!rule.default_().empty() && !choices.empty()) {
            EXPECT_NE(std::find(choices.begin(), choices.end(), rule.default_()), choices.end())
                << field->full_name();
        } else if (!rule.default_().empty()) {
            const std::unique_ptr<google::protobuf::Message> message(
                google::protobuf::MessageFactory::generated_factory()
                    ->GetPrototype(field->containing_type())
                    ->New());
            fill_constants(*message);
            const std::string name = field->name() + ": must be ";
            for (const std::string& each : broken(*message)) {
                EXPECT_FALSE(each.starts_with(name)) << field->full_name() << " " << each;
            }
        }
    }
}

TEST(FieldTable, HasARowForEveryKeyWithItsUnitValuesAndDefault) {
    const std::vector<FieldRow> rows = field_table(*v1::VoxelWaves::descriptor());
    const auto row = [&](const std::string& key) {
        const auto found = std::ranges::find(rows, key, &FieldRow::key);
        return found == rows.end() ? FieldRow() : *found;
    };
    const FieldRow spacing = row("model.spacing_m");
    EXPECT_EQ(spacing.type, "number");
    EXPECT_EQ(spacing.unit, "m");
    EXPECT_EQ(spacing.other_units, (Found{"km", "cm", "mm"}));
    EXPECT_EQ(spacing.values, "> 0");
    EXPECT_TRUE(spacing.required);
    const FieldRow element = row("solver.element");
    EXPECT_EQ(element.values, "ovfem or vfem");
    EXPECT_EQ(element.fallback, "ovfem");
    EXPECT_FALSE(element.required);
    EXPECT_EQ(row("absorbing.sides").type, "list of words");
    EXPECT_EQ(row("absorbing.rate_per_s").unit, "1/s");
    EXPECT_EQ(row("damping.ratio").values, "in 0..1");
    EXPECT_EQ(row("sources[].id").type, "text");
    EXPECT_EQ(row("receivers[].at").type, "mapping as model.shapes[].box.from");
    EXPECT_EQ(row("receiver_files").type, "list of files");
}

}  // namespace
}  // namespace kaname::request::field_rules_test
