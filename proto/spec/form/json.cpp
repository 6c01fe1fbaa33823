// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/form/json.hpp"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include "solvers/base/error.hpp"

namespace kaname::spec {

using google::protobuf::Message;

void from_json(const std::string& json, const std::string& name, Message& into) {
    const auto status = google::protobuf::util::JsonStringToMessage(json, &into);
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
