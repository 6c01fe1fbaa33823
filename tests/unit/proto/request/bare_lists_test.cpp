// SPDX-License-Identifier: BSD-3-Clause
// Where a list is expected, one number, word or path may stand alone: every list of every kind.
#include <memory>
#include <set>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include "proto/request/form/field_rules.hpp"
#include "proto/request/form/yaml_reader.hpp"
#include "proto/request/kinds.hpp"

namespace kaname::request::bare_lists_test {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

/// Messages that may be written as one word, as request.md says.
const std::set<std::string> kWords = {"File", "MeshSurface", "BoundarySide"};

void visit_types(const Descriptor& type, std::set<const Descriptor*>& seen) {
    if (!seen.insert(&type).second) {
        return;
    }
    for (int k = 0; k < type.field_count(); ++k) {
        if (const Descriptor* inner = type.field(k)->message_type()) {
            visit_types(*inner, seen);
        }
    }
}

/// An entry of the list as it is written; empty: a mapping, which is always in a list.
std::string value_of(const FieldDescriptor& list) {
    if (list.message_type() != nullptr) {
        return kWords.contains(list.message_type()->name()) ? "first.csv" : "";
    }
    if (list.cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
        const auto& choices = rule_of(list).choices();
        return choices.empty() ? "first" : choices[0];
    }
    return "3";
}

std::string read(const Message& prototype, const std::string& text) {
    const std::unique_ptr<Message> message(prototype.New());
    const YamlReading reading = scan_yaml(text, "text", *message);
    EXPECT_TRUE(reading.violations.empty()) << text << ": " << reading.violations[0].message;
    return message->ShortDebugString();
}

TEST(BareLists, OneValueOrPathStandsForAListOfOne) {
    std::set<const Descriptor*> types;
    for (const Kind* kind : built_in_kinds().all()) {
        visit_types(*kind->prototype().GetDescriptor(), types);
    }
    int lists = 0;
    for (const Descriptor* type : types) {
        const Message* prototype =
            google::protobuf::MessageFactory::generated_factory()->GetPrototype(type);
        for (int k = 0; k < type->field_count(); ++k) {
            const FieldDescriptor& field = *type->field(k);
            const std::string value = field.is_repeated() ? value_of(field) : "";
            if (value.empty()) {
                continue;
            }
            for (const QuantityName& key : quantity_names(field.name())) {
                EXPECT_EQ(read(*prototype, key.name + ": " + value + "\n"),
                          read(*prototype, key.name + ": [" + value + "]\n"));
                ++lists;
            }
        }
    }
    EXPECT_GT(lists, 40);
}

}  // namespace
}  // namespace kaname::request::bare_lists_test
