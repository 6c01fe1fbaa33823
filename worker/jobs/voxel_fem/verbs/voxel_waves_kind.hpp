// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "proto/kaname/v1/voxel_waves.pb.h"
#include "worker/jobs/frame/kind.hpp"
#include "worker/jobs/voxel_fem/wave_job.hpp"

namespace kaname::compute {

/// Waves of point sources on voxels: preflight, solve, package, read.
[[nodiscard]] const Kind& voxel_waves_kind();

/// The waves that a checked request asks for, in plain numbers.
[[nodiscard]] jobs::WaveJob wave_job_from_request(const v1::VoxelWaves& waves);

}  // namespace kaname::compute
