// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <yaml-cpp/yaml.h>

#include "proto/spec/form/rules.hpp"
#include "proto/spec/form/yaml_reader.hpp"
#include "solvers/base/error.hpp"

namespace kaname::spec {

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

}  // namespace kaname::spec
