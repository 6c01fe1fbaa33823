// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/bcrs_body.hpp"
#include "solvers/lanes/for_each.cuh"
#include "solvers/lanes/rows.cuh"

namespace kaname::lanes {

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

}  // namespace kaname::lanes
