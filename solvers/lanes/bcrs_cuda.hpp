// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/lanes/bcrs.hpp"

/// The kernels of bcrs.hpp on a GPU; matrix and views hold device memory.
namespace kaname::lanes {

void bcrs_apply_cuda(const Bcrs& A, device::View<const float> x, device::View<float> y, bool add,
                     device::Queue& queue);
void block_diagonal_apply_cuda(int block, float c, device::View<const float> D,
                               device::View<const float> x, device::View<float> y,
                               device::Queue& queue);
void chebyshev_step_cuda(int block, float w, float c, Previous previous,
                         device::View<const float> D, device::View<const float> b,
                         device::View<const float> Ax, device::View<const float> x,
                         device::View<float> next, device::Queue& queue);

}  // namespace kaname::lanes
