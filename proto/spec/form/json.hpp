// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <google/protobuf/message.h>

namespace kaname::spec {

/// Protobuf JSON with the field names of the .proto file.
[[nodiscard]] std::string to_json(const google::protobuf::Message& message);

/// The field `schema` of a specification in JSON, without a message of it. Throws InvalidArgument
/// when the text is no JSON object; empty where there is none.
[[nodiscard]] std::string schema_of_json(const std::string& text, const std::string& name);

/// Reads what to_json() wrote, also of a schema that still had fields whose names are reserved now:
/// they had no effect and are passed over. `name` begins the message of errors. Throws
/// InvalidArgument.
void from_json(const std::string& json, const std::string& name, google::protobuf::Message& into);

}  // namespace kaname::spec
