// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/kernels/for_each.cuh"
#include "solvers/kernels/history_body.hpp"

namespace kaname::kernels {

KANAME_FOR_EACH_CUDA(body::SecondDifference<>)
KANAME_FOR_EACH_CUDA(body::AddScaled<>)
KANAME_FOR_EACH_CUDA(body::AddHistory<>)

}  // namespace kaname::kernels
