// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "worker/jobs/frame/kind.hpp"

namespace kaname::compute {

/// Green's functions and scenarios: preflight, mesh, solve, package.
[[nodiscard]] const Kind& greens_kind();

}  // namespace kaname::compute
