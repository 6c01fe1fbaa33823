// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <google/protobuf/message.h>

#include "proto/kaname/v1/greens.pb.h"
#include "solvers/base/error.hpp"

namespace kaname::request {

/// One text per meaning: JSON without spaces, keys are the field names in alphabetical order,
/// numbers rounded to 12 significant digits (16.1 km equals 16100 m), files
/// stand by their SHA-256 and never by their path. The text does not depend on the version of
/// libprotobuf. Throws InvalidArgument naming a file that has no sha256 yet (see resolve_files).
/// Defaults are the caller's to fill in.
[[nodiscard]] std::string canonical_text(const google::protobuf::Message& message);

/// Protobuf JSON with the field names of the .proto file.
[[nodiscard]] std::string to_json(const google::protobuf::Message& message);

/// The field `schema` of a request in JSON, without a message of it. Throws InvalidArgument
/// when the text is no JSON object; empty where there is none.
[[nodiscard]] std::string schema_of_json(const std::string& text, const std::string& name);

/// Reads what to_json() wrote, also of a schema that still had fields whose names are reserved now:
/// they had no effect and are passed over. `name` begins the message of errors. Throws
/// InvalidArgument.
void from_json(const std::string& json, const std::string& name, google::protobuf::Message& into);

/// Calls `visit` with every File of the message and its field path.
void for_each_file(google::protobuf::Message& message,
                   const std::function<void(v1::File& file, const std::string& field)>& visit);

/// Makes every File's path absolute (relative ones count from `folder`) and fills in its sha256.
/// One violation per file that is missing, unreadable or not the one its sha256 names.
[[nodiscard]] std::vector<Violation> resolve_files(google::protobuf::Message& message,
                                                   const std::filesystem::path& folder);

}  // namespace kaname::request
