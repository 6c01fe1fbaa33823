// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/dense_apply.hpp"
#include "solvers/lanes/dense_body.hpp"
#include "solvers/lanes/row_kernel.cuh"

namespace kaname::lanes {

void dense_apply_cuda(device::View<const float> A, device::View<const float> x,
                      device::View<float> y, device::Queue& queue) {
    const body::DenseRow body{A.data(), static_cast<std::int64_t>(x.size()) / kLanes, x.data()};
    for_each_row<1>(static_cast<std::int64_t>(y.size()) / kLanes, body, y.data(), false,
                    "dense_apply", queue);
}

}  // namespace kaname::lanes
