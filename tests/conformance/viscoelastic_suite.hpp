// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tests/conformance/comm_suite.hpp"

namespace kaname::conformance {

/// The viscoelastic solver on any communicator: the same displacement as on one rank, and four
/// sources at once that are those sources alone.
[[nodiscard]] const std::vector<CommCase>& viscoelastic_cases();

}  // namespace kaname::conformance
