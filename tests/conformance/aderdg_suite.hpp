// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tests/conformance/comm_suite.hpp"

namespace kaname::conformance {

/// ADER-DG on the ranks of a communicator against one rank, bit for bit.
[[nodiscard]] std::vector<CommCase> aderdg_cases();

}  // namespace kaname::conformance
