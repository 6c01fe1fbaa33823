// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "worker/compute/kind.hpp"

namespace kaname::compute {

/// Waves of point sources on voxels: preflight, solve, package, read.
[[nodiscard]] const Kind& voxel_waves_kind();

}  // namespace kaname::compute
