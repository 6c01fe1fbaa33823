// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/for_each.cuh"
#include "solvers/lanes/history_body.hpp"

namespace kaname::lanes {

KANAME_FOR_EACH_CUDA(body::KeepIncrement<>)
KANAME_FOR_EACH_CUDA(body::AddHistory<false>)
KANAME_FOR_EACH_CUDA(body::AddHistory<true>)

}  // namespace kaname::lanes
