// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace kaname::meshing {

/// Throw InvalidArgument "<field> must be <rule>, got <value>" where a value breaks its rule.
void require(bool holds, const std::string& field, const char* rule, double value);
/// Finite and > 0.
void require_length(const std::string& field, double value);

}  // namespace kaname::meshing
