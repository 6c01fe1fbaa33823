// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "worker/compute/kind.hpp"

namespace kaname::compute {

/// Slip from observed motion: preflight, invert.
[[nodiscard]] const Kind& inversion_kind();

}  // namespace kaname::compute
