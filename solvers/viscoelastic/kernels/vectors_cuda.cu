// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/for_each.cuh"
#include "solvers/viscoelastic/kernels/lane_steps_body.hpp"

namespace kaname::lanes {

KANAME_FOR_EACH_CUDA(viscoelastic::body::SpreadFirstLane<>)
KANAME_FOR_EACH_CUDA(viscoelastic::body::TakeFirstLane<>)
KANAME_FOR_EACH_CUDA(viscoelastic::body::ShiftLanes<>)

KANAME_FOR_EACH_CUDA(viscoelastic::body::SpringRow<float>)
KANAME_FOR_EACH_CUDA(viscoelastic::body::SpringRow<double>)

}  // namespace kaname::lanes
