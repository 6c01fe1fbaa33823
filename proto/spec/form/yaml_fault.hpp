// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include <yaml-cpp/exceptions.h>

#include "solvers/base/error.hpp"

namespace kaname::spec {

/// The slip of the pen that explains why a text is no YAML, in words of what was typed: a tab at
/// the beginning of a line, a bracket that is not closed or closed by another, an entry of a list
/// that is indented otherwise than those above it. `line` is where the parser gave up, from 1.
/// Empty: none of these.
[[nodiscard]] std::string yaml_fault(std::string_view text, int line);

/// "file 'a.yaml' is not YAML: line 5 begins with a tab; ...", with the parser's own line and words
/// where yaml_fault() finds nothing.
[[nodiscard]] Error not_yaml(const std::string& source, std::string_view text,
                             const YAML::Exception& error);

}  // namespace kaname::spec
