// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/device/buffer.hpp"

namespace kaname::lanes {

/// y = A x with a dense matrix: A [rows][columns], x [columns][4], y [rows][4], FP32. The coarsest
/// level's inverse. Throws InvalidArgument when the sizes disagree.
void dense_apply(device::View<const float> A, device::View<const float> x, device::View<float> y,
                 device::Queue& queue);

}  // namespace kaname::lanes
