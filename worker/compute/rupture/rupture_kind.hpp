// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "worker/compute/kind.hpp"

namespace kaname::compute {

/// Spontaneous ruptures: preflight, mesh, solve, package, read.
[[nodiscard]] const Kind& rupture_kind();

}  // namespace kaname::compute
