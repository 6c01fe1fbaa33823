// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/voxel_waves.pb.h"
#include "proto/spec/form/request.hpp"

namespace kaname::spec {

/// Waves of point sources on voxels: a task for each source, four of them at a time, and one for
/// their seismograms. Schema kaname.v1.VoxelWaves.
[[nodiscard]] const Kind& voxel_waves_kind();

/// Returns the tasks of a checked specification (load_voxel_waves.hpp).
[[nodiscard]] TaskGraph voxel_waves_graph(const v1::VoxelWaves& waves);

}  // namespace kaname::spec
