// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/dense_apply_body.hpp"
#include "solvers/lanes/rows.cuh"

namespace kaname::lanes {

KANAME_FOR_EACH_ROW_CUDA(body::DenseRow<>)

}  // namespace kaname::lanes
