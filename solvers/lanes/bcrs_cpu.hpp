// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/lanes/bcrs.hpp"

namespace kaname::lanes {

void bcrs_apply_cpu(const Bcrs& A, device::View<const float> x, device::View<float> y, bool add);
void block_diagonal_apply_cpu(int block, float c, device::View<const float> D,
                              device::View<const float> x, device::View<float> y);
void chebyshev_step_cpu(int block, float w, float c, Previous previous, device::View<const float> D,
                        device::View<const float> b, device::View<const float> Ax,
                        device::View<const float> x, device::View<float> next);

}  // namespace kaname::lanes
