// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/for_each.cuh"
#include "solvers/p2/multigrid/p2_transfer_body.hpp"

namespace kaname::lanes {

KANAME_FOR_EACH_CUDA(multigrid::body::Restrict<>)
KANAME_FOR_EACH_CUDA(multigrid::body::ProlongAdd<>)

}  // namespace kaname::lanes
