// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

namespace kaname::compute {

/// Writes numbers as little-endian float64, one after the other. Throws Unavailable.
void write_values(const std::string& file, std::span<const double> values);

}  // namespace kaname::compute
