// SPDX-License-Identifier: BSD-3-Clause
// Which keys another value of a field changes: every field has an effect, or changes none.
#include <functional>
#include <map>
#include <set>

#include "proto/request/greens/defaults.hpp"
#include "proto/request/greens/greens_kind.hpp"
#include "proto/request/greens/plan.hpp"
#include "tests/unit/proto/request/greens/example_request.hpp"

namespace kaname::request::effects_test {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using Names = std::set<std::string>;

/// kNoPartOfAResult names fields that decide neither a result nor what a dataset records. They are
/// the place of a file (its bytes decide), how a solve is kept going, and a limit beyond which it
/// is refused.
const Names kNoPartOfAResult = {"File.path", "Mesh.max_elements", "Output.checkpoint",
                                "Output.checkpoint_interval_s"};
/// kLabels names fields for labels, which make another dataset of the same numbers.
const Names kLabels = {"GreensBatch.name", "GreensBatch.description"};
/// kOfTheDatasetAlone names fields that change the dataset but not the results that are solved for.
const Names kOfTheDatasetAlone = {"GreensBatch.name",
                                  "GreensBatch.description",
                                  "Output.snap_tolerance_m",
                                  "Receiver.depth_m",
                                  "Receiver.dip_deg",
                                  "Receiver.friction",
                                  "Receiver.lat_deg",
                                  "Receiver.lon_deg",
                                  "Receiver.name",
                                  "Receiver.rake_deg",
                                  "Receiver.skempton",
                                  "Receiver.strike_deg",
                                  "Station.id",
                                  "Time.epochs_s"};
/// As the west side.
const Names kOtherSides = {"Boundaries.east", "Boundaries.south", "Boundaries.north",
                           "Boundaries.bottom", "Boundaries.top"};

/// "Mesh.growth".
std::string name_of(const FieldDescriptor& field) {
    return field.containing_type()->name() + "." + field.name();
}

/// A value of a text, by the field; those that decide what is computed are words that are known.
std::string text_of(const FieldDescriptor& field, bool other) {
    static const std::map<std::string, std::pair<const char*, const char*>> known = {
        {"components", {"dip_slip", "strike_slip"}},
        {"fixed", {"north", "up"}},
        {"sha256", {"ab", "cd"}}};
    const bool of_side = field.containing_type()->name().starts_with("Side");
    const auto found = known.find(of_side ? "fixed" : field.name());
    const auto words = found == known.end() ? std::pair{"first", "second"} : found->second;
    return other ? words.second : words.first;
}

/// Gives a field, or one more entry of a list, a value.
void set_value(Message& message, const FieldDescriptor& field, bool other) {
    const google::protobuf::Reflection& at = *message.GetReflection();
    const bool list = field.is_repeated();
    switch (field.cpp_type()) {
        case FieldDescriptor::CPPTYPE_DOUBLE: {
            const double value = other ? 0.75 : 0.5;
            list ? at.AddDouble(&message, &field, value) : at.SetDouble(&message, &field, value);
            break;
        }
        case FieldDescriptor::CPPTYPE_UINT32: {
            const std::uint32_t value = other ? 3 : 2;
            list ? at.AddUInt32(&message, &field, value) : at.SetUInt32(&message, &field, value);
            break;
        }
        case FieldDescriptor::CPPTYPE_STRING: {
            const std::string value = text_of(field, other);
            list ? at.AddString(&message, &field, value) : at.SetString(&message, &field, value);
            break;
        }
        case FieldDescriptor::CPPTYPE_ENUM:
            at.SetEnum(&message, &field, field.enum_type()->value(other ? 2 : 1));
            break;
        default:
            FAIL() << "no value for the type of " << field.full_name();
    }
}

/// Sets every field that is not set yet, of choices one, but `without` those.
void fill(Message& message, const Names& without) {
    const google::protobuf::Reflection& at = *message.GetReflection();
    const Descriptor& type = *message.GetDescriptor();
    for (int k = 0; k < type.field_count(); ++k) {
        const FieldDescriptor& field = *type.field(k);
        const auto* choice = field.real_containing_oneof();
        if (without.contains(name_of(field)) ||
            (choice != nullptr && at.HasOneof(message, choice) && !at.HasField(message, &field))) {
            continue;
        }
        if (field.message_type() == nullptr) {
            if (field.is_repeated() ? at.FieldSize(message, &field) == 0
                                    : !at.HasField(message, &field)) {
                set_value(message, field, false);
            }
        } else if (!field.is_repeated()) {
            fill(*at.MutableMessage(&message, &field), without);
        } else {
            fill(at.FieldSize(message, &field) == 0
                     ? *at.AddMessage(&message, &field)
                     : *at.MutableRepeatedMessage(&message, &field, 0),
                 without);
        }
    }
}

/// Visits every field that is set, each time with another value of it.
void vary(Message& message, const std::function<void(const FieldDescriptor&)>& visit) {
    const google::protobuf::Reflection& at = *message.GetReflection();
    std::vector<const FieldDescriptor*> fields;
    at.ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
        if (field->message_type() == nullptr) {
            const std::unique_ptr<Message> before(message.New());
            before->CopyFrom(message);
            at.ClearField(&message, field);
            set_value(message, *field, true);
            visit(*field);
            message.CopyFrom(*before);
        } else if (!field->is_repeated()) {
            vary(*at.MutableMessage(&message, field), visit);
        } else {
            for (int k = 0; k < at.FieldSize(message, field); ++k) {
                vary(*at.MutableRepeatedMessage(&message, field, k), visit);
            }
        }
    }
}

/// Names of all fields below a message.
void collect(const Descriptor& type, Names& names) {
    for (int k = 0; k < type.field_count(); ++k) {
        const FieldDescriptor& field = *type.field(k);
        if (field.message_type() == nullptr) {
            names.insert(name_of(field));
        } else {
            collect(*field.message_type(), names);
        }
    }
}

struct Keys {
    std::set<std::string> computed;  ///< of the mesh, of the sources or of the forces
    std::string dataset, content;
};

Keys keys_of(v1::GreensBatch batch) {
    LoadedBatch loaded{std::move(batch), {}, {}};
    fill_defaults(loaded.batch);
    for (const v1::Station& at : loaded.batch.stations().list()) {
        RequestStation& station = loaded.stations.emplace_back();
        station.id = at.id();
        station.plain = !loaded.batch.region().crs().empty();
        station.lon_deg = at.lon_deg();
        station.lat_deg = at.lat_deg();
        station.x_m = at.x_m();
        station.y_m = at.y_m();
        station.depth_m = at.depth_m();
        station.look = unit_look(at.look_east(), at.look_north(), at.look_up());
    }
    const Plan plan = make_plan(loaded);
    Keys keys{{plan.mesh_key}, plan.package_key, content_hash(loaded.batch)};
    for (const PlannedSource& source : plan.forces.empty() ? plan.sources : plan.forces) {
        keys.computed.insert(source.key);
    }
    return keys;
}

/// Requests that have every field between them. No rule is kept: what excludes each other may
/// stand in one, as long as the keys are made as of the kind that it is of.
std::vector<v1::GreensBatch> examples() {
    const Names no_file = {"Mesh.file", "Region.crs"};
    const Names no_volumes = {"Mesh.file", "Region.crs", "Structure.surfaces",
                              "Structure.free_surface", "Structure.volumes"};
    std::vector<v1::GreensBatch> all;
    const auto add = [&](const char* schema, const Names& without,
                         const std::function<void(v1::GreensBatch&)>& choose) {
        v1::GreensBatch& batch = all.emplace_back();
        batch.set_schema(schema);
        choose(batch);
        Names left_out = kOtherSides;
        left_out.insert(without.begin(), without.end());
        fill(batch, left_out);
    };
    const char* batch = "kaname.v1.GreensBatch";
    const auto with = [](Names names, std::initializer_list<const char*> more) {
        names.insert(more.begin(), more.end());
        return names;
    };
    add(batch, with(no_volumes, {"Fault.several", "Plane.rake_deg"}),
        [](auto& b) { b.mutable_fault()->mutable_plane(); });
    add(batch, with(no_volumes, {"Fault.several"}),
        [](auto& b) { b.mutable_fault()->mutable_plane(); });
    add(batch, with(no_file, {"Fault.several"}),
        [](auto& b) { b.mutable_fault()->mutable_interface(); });
    add(batch, no_file, [](auto& b) {
        b.mutable_fault()->add_several()->mutable_interface();
        fill(*b.mutable_fault()->add_several()->mutable_plane(), {});
    });
    add(batch, {"Fault.several"}, [](auto& b) { b.mutable_fault()->mutable_mesh(); });
    add(batch, with(no_volumes, {"Fault.several"}), [](auto& b) {
        b.mutable_fault()->mutable_interface();
        b.set_solve_by("receivers");
    });
    add("kaname.v1.Scenario", with(no_volumes, {"Fault.several"}),
        [](auto& b) { b.mutable_fault()->mutable_plane(); });
    return all;
}

TEST(Effects, EveryFieldChangesAKeyOrIsNoPartOfAResult) {
    Names computed, of_dataset, none, all;
    std::vector<v1::GreensBatch> made = examples();
    for (v1::GreensBatch& batch : made) {
        const Keys base = keys_of(batch);
        vary(batch, [&](const FieldDescriptor& field) {
            const std::string name = name_of(field);
            const Keys now = keys_of(batch);
            (now.computed != base.computed ? computed
             : now.dataset != base.dataset ? of_dataset
                                           : none)
                .insert(name);
            EXPECT_EQ(now.content == base.content, kLabels.contains(name) || name == "File.path")
                << name;
        });
    }
    collect(*v1::GreensBatch::descriptor(), all);
    for (const std::string& name : computed) {
        of_dataset.erase(name);
        none.erase(name);
    }
    for (const std::string& name : of_dataset) {
        none.erase(name);
    }

    EXPECT_EQ(none, kNoPartOfAResult);
    EXPECT_EQ(of_dataset, kOfTheDatasetAlone);
    for (const Names* found : {&computed, &of_dataset, &none}) {
        for (const std::string& name : *found) {
            all.erase(name);
        }
    }
    EXPECT_EQ(all, Names()) << "in none of the examples";
}

}  // namespace
}  // namespace kaname::request::effects_test
