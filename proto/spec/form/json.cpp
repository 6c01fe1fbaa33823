// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/form/json.hpp"

#include <optional>

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include "solvers/base/error.hpp"

namespace kaname::spec {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Struct;
using google::protobuf::util::JsonStringToMessage;
using google::protobuf::util::MessageToJsonString;

namespace {

/// Takes what a message of this type no longer has out of its JSON; true where there was something.
bool drop_removed(const Descriptor& type, Struct& object) {
    auto& values = *object.mutable_fields();
    bool any = false;
    for (int k = 0; k < type.reserved_name_count(); ++k) {
        any = values.erase(type.reserved_name(k)) > 0 || any;
    }
    for (int k = 0; k < type.field_count(); ++k) {
        const FieldDescriptor& field = *type.field(k);
        const auto found = values.find(field.name());
        if (field.message_type() == nullptr || found == values.end()) {
            continue;
        }
        google::protobuf::Value& value = found->second;
        if (value.has_struct_value()) {
            any = drop_removed(*field.message_type(), *value.mutable_struct_value()) || any;
        }
        for (int at = 0; at < value.list_value().values_size(); ++at) {
            google::protobuf::Value& item = *value.mutable_list_value()->mutable_values(at);
            any = (item.has_struct_value() &&
                   drop_removed(*field.message_type(), *item.mutable_struct_value())) ||
                  any;
        }
    }
    return any;
}

/// Returns the JSON without removed fields; nothing if it has none, or is no object.
std::optional<std::string> without_removed(const std::string& json, const Descriptor& type) {
    Struct object;
    std::string text;
    if (JsonStringToMessage(json, &object).ok() && drop_removed(type, object) &&
        MessageToJsonString(object, &text).ok()) {
        return text;
    }
    return std::nullopt;
}

}  // namespace

void from_json(const std::string& json, const std::string& name, Message& into) {
    auto status = JsonStringToMessage(json, &into);
    if (!status.ok()) {
        if (const auto rest = without_removed(json, *into.GetDescriptor())) {
            into.Clear();
            status = JsonStringToMessage(*rest, &into);
        }
    }
    if (!status.ok()) {
        throw Error(ErrorCode::InvalidArgument, name + " is not a " +
                                                    into.GetDescriptor()->full_name() +
                                                    " in JSON: " + std::string(status.message()));
    }
}

std::string to_json(const Message& message) {
    google::protobuf::util::JsonPrintOptions options;
    options.add_whitespace = true;
    options.preserve_proto_field_names = true;
    std::string text;
    const auto status = google::protobuf::util::MessageToJsonString(message, &text, options);
    if (!status.ok()) {
        throw Error(ErrorCode::Internal,
                    "cannot write the specification as JSON: " + std::string(status.message()));
    }
    return text;
}

std::string schema_of_json(const std::string& text, const std::string& name) {
    google::protobuf::Struct object;
    const auto status = google::protobuf::util::JsonStringToMessage(text, &object);
    if (!status.ok()) {
        throw Error(ErrorCode::InvalidArgument,
                    name + " is not a specification in JSON: " + std::string(status.message()));
    }
    const auto found = object.fields().find("schema");
    return found == object.fields().end() ? "" : found->second.string_value();
}

}  // namespace kaname::spec
