// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <string>
#include <vector>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include "proto/kaname/v1/options.pb.h"
#include "proto/request/form/rules.hpp"

namespace kaname::request {

/// Returns the rule that a field has in its .proto (options.proto); an empty one where it has none.
[[nodiscard]] const v1::FieldRule& rule_of(const google::protobuf::FieldDescriptor& field);
/// Returns the words that the field `name` of a message of type `type` may have.
[[nodiscard]] std::vector<std::string> choices_of(const google::protobuf::Descriptor& type,
                                                  const std::string& name);

/// Returns true if a message that has the field must give it, whatever else it gives.
[[nodiscard]] bool must_be_given(const google::protobuf::FieldDescriptor& field);

/// Returns "> 0", "in 0..1" or "at most 8": the limits of a number, each as `shown` writes it.
/// Empty where there are none.
[[nodiscard]] std::string range_text(const v1::FieldRule& rule,
                                     const std::function<std::string(double)>& shown);

/// Fills in the constant defaults of a message and of all messages in it, and makes those that are
/// to be there (FieldRule.filled).
void fill_constants(google::protobuf::Message& message);

/// Reports every field of the message, and of all messages in it, that breaks its rule. It comes
/// last: fields that `rules` has told of already are passed over, for rules between fields say
/// more. Numbers that are not finite are passed over. Each broken rule is put where the message has
/// its field, among those that were told before.
void check_fields(const google::protobuf::Message& message, Rules& rules);
/// Reports the number `name` of `message`, whose path is `path`, if it breaks its rule, 0 included:
/// for fields that other fields make necessary.
void check_number(const google::protobuf::Message& message, const std::string& name,
                  const std::string& path, Rules& rules);

/// A key that people may write, as the options of its field describe it (options.proto).
struct FieldRow {
    std::string key;                       ///< "sources[].at.x_m": [] of each entry of a list
    std::string type;                      ///< "number", "list of words", "mapping"
    std::string unit;                      ///< of the key's ending, "m"; empty: none
    std::vector<std::string> other_units;  ///< endings that may stand in its place: km, cm, mm
    std::string values;                    ///< "> 0", "in 0..1", "x, y or z"; empty: any
    bool required = false;                 ///< must be given wherever what it is in is given
    std::string fallback;                  ///< what holds where it is absent; empty: nothing
    std::string meaning;
};

/// Returns the keys of a request of type `type`, in the order of the message, those of a mapping
/// after it. A mapping that occurs again refers to where its keys stand.
[[nodiscard]] std::vector<FieldRow> field_table(const google::protobuf::Descriptor& type);

}  // namespace kaname::request
