// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "worker/compute/kind.hpp"

namespace kaname::compute {

/// Waves on tetrahedra: preflight, mesh, solve, package, read.
[[nodiscard]] const Kind& seismic_waves_kind();

}  // namespace kaname::compute
