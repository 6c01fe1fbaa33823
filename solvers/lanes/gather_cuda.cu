// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/for_each.cuh"
#include "solvers/lanes/gather_body.hpp"

namespace kaname::lanes {

KANAME_FOR_EACH_CUDA(body::GatherItems<float>)
KANAME_FOR_EACH_CUDA(body::GatherItems<double>)
KANAME_FOR_EACH_CUDA(body::ScatterItems<float>)
KANAME_FOR_EACH_CUDA(body::ScatterItems<double>)
KANAME_FOR_EACH_CUDA(body::ScatterSums<float>)
KANAME_FOR_EACH_CUDA(body::ScatterSums<double>)
KANAME_FOR_EACH_CUDA(body::SumItems<float>)

}  // namespace kaname::lanes
