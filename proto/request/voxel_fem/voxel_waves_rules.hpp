// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "proto/kaname/v1/voxel_waves.pb.h"
#include "proto/request/form/rules.hpp"

namespace kaname::request {

/// Every rule that needs no model of voxels, of a specification whose defaults are filled.
[[nodiscard]] std::vector<Violation> validate(const v1::VoxelWaves& waves,
                                              const UnitFactor& unit_factor = {});

/// The parts of it.
void check_voxel_box(const v1::VoxelWaves& waves, Rules& rules);
void check_wave_points(const v1::VoxelWaves& waves, Rules& rules);

}  // namespace kaname::request
