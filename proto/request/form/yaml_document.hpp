// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/yaml.h>

#include "proto/request/form/rules.hpp"
#include "proto/request/form/yaml_reader.hpp"
#include "solvers/base/error.hpp"

namespace kaname::request {

/// Returns why a text is no YAML, in words of what was typed: a tab at the beginning of a line, a
/// quote or bracket that is not closed or closed by another, a comma, colon or blank that is
/// missing, a text that stands in quotes, an entry or key that is indented otherwise than those
/// above it. `line` is where the parser gave up, from 1. Empty where none of these is found.
[[nodiscard]] std::string yaml_fault(std::string_view text, int line);

/// Returns which quote is open at the end of a text, which yaml-cpp takes for one to that end.
/// Empty where none is.
[[nodiscard]] std::string unclosed_quote(std::string_view text);

/// "file 'a.yaml' is not YAML: line 5 begins with a tab; ...", with the parser's own line and words
/// where yaml_fault() finds nothing.
[[nodiscard]] Error not_yaml(const std::string& source, std::string_view text,
                             const YAML::Exception& error);

/// The only document of a YAML text. Throws InvalidArgument naming `source`, and a line, for what
/// is no YAML, has none or has several.
[[nodiscard]] YAML::Node only_document(std::string_view text, const std::string& source);

/// Broken rules without those that only follow from values that could not be read; the others with
/// the line of the YAML where their field stands, and its key where that has another unit.
[[nodiscard]] std::vector<Violation> relate_to_yaml(std::vector<Violation> broken,
                                                    const YamlReading& yaml);

/// Throws ValidationError with what could not be read and, related to the YAML, what is broken;
/// nothing where there is neither.
void throw_if_broken(std::vector<Violation> broken, YamlReading reading);

/// Factors of the units that fields were written in. `yaml` outlives it.
[[nodiscard]] UnitFactor unit_factor_of(const YamlReading& yaml);

}  // namespace kaname::request
