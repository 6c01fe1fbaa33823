// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include <yaml-cpp/yaml.h>

namespace kaname::spec {

/// The only document of a YAML text. Throws InvalidArgument naming `source`, and a line, for what
/// is no YAML, has none or has several.
[[nodiscard]] YAML::Node only_document(std::string_view text, const std::string& source);

}  // namespace kaname::spec
