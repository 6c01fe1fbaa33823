// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <google/protobuf/message.h>

#include "proto/kaname/v1/greens.pb.h"
#include "solvers/base/error.hpp"

namespace kaname::spec {

/// Calls `visit` with every File of the message and its field path.
void for_each_file(google::protobuf::Message& message,
                   const std::function<void(v1::File& file, const std::string& field)>& visit);

/// Makes every File's path absolute (relative ones count from `folder`) and fills in its sha256.
/// One violation per file that is missing, unreadable or not the one its sha256 names.
[[nodiscard]] std::vector<Violation> resolve_files(google::protobuf::Message& message,
                                                   const std::filesystem::path& folder);

}  // namespace kaname::spec
