// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/cg_passes_body.hpp"
#include "solvers/lanes/reduce.cuh"

namespace kaname::lanes {

KANAME_REDUCE_CUDA(body::Residual<>)
KANAME_REDUCE_CUDA(body::Update<>)

}  // namespace kaname::lanes
