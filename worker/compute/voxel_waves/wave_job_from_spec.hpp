// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/voxel_waves.pb.h"
#include "solvers/jobs/voxel_waves/wave_job.hpp"

namespace kaname::compute {

/// The waves that a checked specification asks for, in plain numbers.
[[nodiscard]] jobs::WaveJob wave_job_from_spec(const v1::VoxelWaves& waves);

}  // namespace kaname::compute
