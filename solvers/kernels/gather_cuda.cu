// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/kernels/for_each.cuh"
#include "solvers/kernels/gather_body.hpp"

namespace kaname::kernels {

KANAME_FOR_EACH_CUDA(body::GatherItems<float>)
KANAME_FOR_EACH_CUDA(body::GatherItems<double>)
KANAME_FOR_EACH_CUDA(body::ScatterItems<float>)
KANAME_FOR_EACH_CUDA(body::ScatterItems<double>)
KANAME_FOR_EACH_CUDA(body::SumItems<float>)

}  // namespace kaname::kernels
