// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace kaname::meshing {

/// Lines of one lattice axis: every fixed point is met exactly, and between two of them the lines
/// sit at equal steps of the integral of dx / size(x), so cells follow `size` smoothly. The number
/// of cells is the integral rounded up (0.2 of a cell is forgiven).
///
///   fixed  [F >= 2] ascending
///   size   cell size [m] wanted at x, > 0
[[nodiscard]] std::vector<double> graded_lines(std::span<const double> fixed,
                                               const std::function<double(double x)>& size);

/// Cell size at `distance` from a region of cells `at`, such that equal steps of dx / size make a
/// geometric series of ratio 1 + growth that starts with `at`; at most `far`.
[[nodiscard]] double grown_size(double at, double far, double growth, double distance);

}  // namespace kaname::meshing
