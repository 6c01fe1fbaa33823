// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace kaname::jobs {

/// Returns the memory that the system reports as available [bytes]; 0 where that is unknown.
[[nodiscard]] double available_bytes();

/// Adds a warning, at most once, if a solve needs more memory than is available. Adds nothing where
/// that is unknown (0).
void warn_of_memory(double solve_bytes, double available_bytes, std::vector<std::string>& warnings);

/// Returns the most memory that this process has had so far [bytes].
[[nodiscard]] double peak_bytes();

}  // namespace kaname::jobs
