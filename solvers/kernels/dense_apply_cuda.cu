// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/kernels/dense_apply.hpp"
#include "solvers/kernels/dense_body.hpp"
#include "solvers/kernels/row_kernel.cuh"

namespace kaname::kernels {

void dense_apply_cuda(device::View<const float> A, device::View<const float> x,
                      device::View<float> y, device::Queue& queue) {
    const body::DenseRow body{A.data(), static_cast<std::int64_t>(x.size()) / kLanes, x.data()};
    for_each_row<1>(static_cast<std::int64_t>(y.size()) / kLanes, body, y.data(), false,
                    "dense_apply", queue);
}

}  // namespace kaname::kernels
