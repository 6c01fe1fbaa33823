// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/bcrs_body.hpp"
#include "solvers/lanes/blas1_body.hpp"
#include "solvers/lanes/for_each.cuh"
#include "solvers/lanes/reduce.cuh"
#include "solvers/lanes/rows.cuh"

namespace kaname::lanes {

#define KANAME_INSTANTIATE(T)                 \
    KANAME_REDUCE_CUDA(body::Dot<T>)          \
    KANAME_FOR_EACH_CUDA(body::Axpby<T>)      \
    KANAME_FOR_EACH_CUDA(body::Fill<T>)       \
    KANAME_FOR_EACH_CUDA(body::ZeroDofs<T>)   \
    KANAME_FOR_EACH_CUDA(body::ScaleItems<T>) \
    KANAME_FOR_EACH_CUDA(body::ZeroLane<T>)
KANAME_INSTANTIATE(float)
KANAME_INSTANTIATE(double)
#undef KANAME_INSTANTIATE
using NarrowDot = body::Dot<double, kLanes, float>;
using NarrowAxpby = body::Axpby<double, kLanes, float>;
KANAME_REDUCE_CUDA(NarrowDot)
KANAME_FOR_EACH_CUDA(NarrowAxpby)
KANAME_REDUCE_CUDA(body::Gram<>)
KANAME_FOR_EACH_CUDA(body::AddMixed<>)
KANAME_FOR_EACH_CUDA(body::Scale<double, float>)
KANAME_FOR_EACH_CUDA(body::Scale<float, double>)
KANAME_FOR_EACH_CUDA(body::SubtractFrom<>)

KANAME_REDUCE_CUDA(body::Residual<>)
KANAME_REDUCE_CUDA(body::Update<>)

KANAME_FOR_EACH_ROW_CUDA(body::DenseRow<>)

KANAME_FOR_EACH_CUDA(body::GatherItems<float>)
KANAME_FOR_EACH_CUDA(body::GatherItems<double>)
KANAME_FOR_EACH_CUDA(body::ScatterItems<float>)
KANAME_FOR_EACH_CUDA(body::ScatterItems<double>)
KANAME_FOR_EACH_CUDA(body::ScatterSums<float>)
KANAME_FOR_EACH_CUDA(body::ScatterSums<double>)
KANAME_FOR_EACH_CUDA(body::SumItems<float>)

KANAME_FOR_EACH_CUDA(body::KeepIncrement<>)
KANAME_FOR_EACH_CUDA(body::AddHistory<false>)
KANAME_FOR_EACH_CUDA(body::AddHistory<true>)

}  // namespace kaname::lanes
