// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace kaname::jobs {

/// What the system says is available [bytes]; 0 where it does not say.
[[nodiscard]] double available_bytes();

/// Adds to `warnings` that a solve needs more than there is, once; not where that is unknown (0).
void warn_of_memory(double solve_bytes, double available_bytes, std::vector<std::string>& warnings);

/// The most memory that this process has had so far [bytes].
[[nodiscard]] double peak_bytes();

}  // namespace kaname::jobs
