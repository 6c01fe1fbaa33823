// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/kernels/dense_apply_body.hpp"
#include "solvers/kernels/rows.cuh"

namespace kaname::kernels {

KANAME_FOR_EACH_ROW_CUDA(body::DenseRow<>)

}  // namespace kaname::kernels
