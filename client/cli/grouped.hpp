// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "solvers/base/error.hpp"

namespace kaname::cli {

/// One violation for all entries of a list that break one rule: the first of more than three, with
/// the indices of the next and the count of the rest. Rules are one when their words are, numbers
/// and quoted texts aside.
[[nodiscard]] std::vector<Violation> grouped(const std::vector<Violation>& violations);

}  // namespace kaname::cli
