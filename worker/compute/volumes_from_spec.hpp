// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/greens.pb.h"
#include "solvers/jobs/spec/greens_job.hpp"

namespace kaname::compute {

/// Surfaces and volumes of a structure that has them. Of its materials only those that a volume
/// uses, in the order of the list: nothing else of the model has to wait for an unused one.
/// Throws InvalidArgument for a volume of an unknown material.
[[nodiscard]] earth::VolumeModelSpec volumes_of(const v1::Structure& structure);
[[nodiscard]] jobs::VolumeSizes volume_sizes_of(const v1::Mesh& mesh);

}  // namespace kaname::compute
