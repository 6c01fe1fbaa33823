// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/kernels/for_each.cuh"
#include "solvers/multigrid/p2_transfer_body.hpp"

namespace kaname::kernels {

KANAME_FOR_EACH_CUDA(multigrid::body::Restrict<>)
KANAME_FOR_EACH_CUDA(multigrid::body::ProlongAdd<>)

}  // namespace kaname::kernels
