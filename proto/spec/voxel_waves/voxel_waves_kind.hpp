// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/spec/form/request.hpp"

namespace kaname::spec {

/// Waves of point sources on voxels: a task for each source, four of them at a time, and one for
/// their seismograms. Schema kaname.v1.VoxelWaves.
[[nodiscard]] const Kind& voxel_waves_kind();

}  // namespace kaname::spec
