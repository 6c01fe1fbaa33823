// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "solvers/device/buffer.hpp"

namespace kaname::predictors {

/// du(i - back) of a history kept as du(i), du(i-1) and second differences x(i), x(i-1), ...:
///   du(i-b) = du(i) - b (du(i) - du(i-1)) + sum_{k < b-1} (b-1-k) x(i-k)
void earlier_increment(int back, device::View<const double> newest,
                       device::View<const double> before,
                       std::span<const device::View<const float>> x, device::View<double> du,
                       device::Queue& queue);

}  // namespace kaname::predictors
