// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>

namespace kaname::compute {

/// Files that a verb is given, by label: results of earlier stages.
using Inputs = std::map<std::string, std::string>;

/// Adds what "LABEL=PATH" says. Throws InvalidArgument where it says nothing, or a label comes
/// twice.
void add_input(const std::string& text, Inputs& inputs);

/// Adds the lines of a file, each a label, a tab and a path. Throws NotFound when it cannot be
/// read, InvalidArgument naming a line that is none, or whose label comes twice.
void add_input_list(const std::string& path, Inputs& inputs);

}  // namespace kaname::compute
