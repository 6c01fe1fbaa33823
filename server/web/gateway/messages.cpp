// SPDX-License-Identifier: BSD-3-Clause
#include "server/web/gateway/messages.hpp"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include "proto/google/rpc/status.pb.h"
#include "proto/status/status.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"

namespace kaname::gateway {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

namespace {

constexpr std::size_t kMaxShownReason = 500;

using Struct = google::protobuf::Struct;

std::string removed_below(const FieldDescriptor& field, const google::protobuf::Value& value);

/// Returns the path of a field that messages of this type once had, where the object still has it;
/// else nothing.
std::string removed_in(const Descriptor& type, const Struct& object) {
    for (const auto& [key, value] : object.fields()) {
        for (int k = 0; k < type.reserved_name_count(); ++k) {
            if (key == type.reserved_name(k)) {
                return key;
            }
        }
        const FieldDescriptor* field = type.FindFieldByName(key);
        field = field == nullptr ? type.FindFieldByCamelcaseName(key) : field;
        if (field == nullptr || field->message_type() == nullptr) {
            continue;
        }
        if (const std::string below = removed_below(*field, value); !below.empty()) {
            return key + "." + below;
        }
    }
    return "";
}

std::string removed_below(const FieldDescriptor& field, const google::protobuf::Value& value) {
    std::string found =
        value.has_struct_value() ? removed_in(*field.message_type(), value.struct_value()) : "";
    for (const google::protobuf::Value& item : value.list_value().values()) {
        found = found.empty() ? removed_below(field, item) : found;
    }
    return found;
}

/// Tells the field that protobuf's parser means: "(PATH): ...", or "(PATH) NAME: Cannot find
/// field.", without "(PATH)" at the top. `what`: what is wrong where it means none.
Violation violation_of(const std::string& why, const std::string& what, const Descriptor& type) {
    constexpr std::string_view kUnknown = ": Cannot find field.", kLed = "): ";
    const std::string shown = to_utf8(why, kMaxShownReason);
    const std::size_t led = shown.find(kLed);
    if (shown.ends_with(kUnknown)) {
        std::string field = shown.substr(0, shown.size() - kUnknown.size());
        if (const std::size_t end = field.find(") "); field.starts_with('(') && end != field.npos) {
            field = field.substr(1, end - 1) + '.' + field.substr(end + 2);
        }
        return {field, "must be a field: " + type.full_name() + " has none of this name there"};
    }
    if (shown.starts_with('(') && led > 1 && led != std::string::npos) {
        return {shown.substr(1, led - 1),
                "must fit a " + type.full_name() + " in JSON: " + shown.substr(led + kLed.size())};
    }
    return {what, "must be a " + type.full_name() + " in JSON: " + shown};
}

}  // namespace

std::unique_ptr<Message> new_message(const Descriptor& type) {
    const Message* prototype =
        google::protobuf::MessageFactory::generated_factory()->GetPrototype(&type);
    return std::unique_ptr<Message>(prototype->New());
}

std::unique_ptr<Message> parse(const Descriptor& type, const std::string& json,
                               const std::string& what) {
    auto message = new_message(type);
    if (json.find_first_not_of(" \t\r\n") == std::string::npos) {
        return message;
    }
    const auto status = google::protobuf::util::JsonStringToMessage(json, message.get());
    if (!status.ok()) {
        Struct object;
        if (google::protobuf::util::JsonStringToMessage(json, &object).ok()) {
            if (const std::string removed = removed_in(type, object); !removed.empty()) {
                throw ValidationError({{removed, "was removed: it had no effect; delete it"}});
            }
        }
        // The first line; the others show the place in the text.
        const std::string why(status.message());
        throw ValidationError({violation_of(why.substr(0, why.find('\n')), what, type)});
    }
    return message;
}

std::string to_json(const grpc::Status& status) {
    google::rpc::Status rich;
    if (!rich.ParseFromString(status.error_details()) || rich.code() == 0) {
        rich.set_code(status.error_code());
        rich.set_message(to_utf8(status.error_message()));
    }
    std::string json;
    if (!google::protobuf::util::MessageToJsonString(rich, &json).ok()) {
        rich.clear_details();
        (void)google::protobuf::util::MessageToJsonString(rich, &json);
    }
    return json;
}

void throw_status(const grpc::Status& status) {
    rpc::throw_error(status, "a call of this server");
}

}  // namespace kaname::gateway
