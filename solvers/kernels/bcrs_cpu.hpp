// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/kernels/bcrs.hpp"

namespace kaname::kernels {

void bcrs_apply_cpu(const Bcrs& A, device::View<const float> x, device::View<float> y, bool add);
void block_diagonal_apply_cpu(int block, device::View<const float> D, device::View<const float> x,
                              device::View<float> y);
void chebyshev_update_cpu(int block, float c1, float c2, device::View<const float> D,
                          device::View<const float> Ad, device::View<float> r,
                          device::View<float> d, device::View<float> x);

}  // namespace kaname::kernels
