// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/kernels/bcrs_body.hpp"
#include "solvers/kernels/for_each.cuh"
#include "solvers/kernels/rows.cuh"

namespace kaname::kernels {

#define KANAME_INSTANTIATE(R)                                    \
    KANAME_FOR_EACH_ROW_CUDA(body::BcrsRow<R, 3>)                \
    KANAME_FOR_EACH_ROW_CUDA(body::BcrsRow<R, 6>)                \
    KANAME_FOR_EACH_CUDA(body::BlockDiagonal<R>)                 \
    KANAME_FOR_EACH_CUDA(body::ChebyshevStep<R, Previous::None>) \
    KANAME_FOR_EACH_CUDA(body::ChebyshevStep<R, Previous::Zero>) \
    KANAME_FOR_EACH_CUDA(body::ChebyshevStep<R, Previous::Given>)
KANAME_INSTANTIATE(3)
KANAME_INSTANTIATE(6)
#undef KANAME_INSTANTIATE

}  // namespace kaname::kernels
