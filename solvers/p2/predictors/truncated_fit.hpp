// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "solvers/device/phases.hpp"

namespace kaname::predictors {

/// a = argmin ||X a - b|| by modified Gram-Schmidt over the columns of X [n_columns][rows] in
/// order. A column whose norm falls to `drop` of its original during the orthogonalisation carries
/// only noise: it is left out, and its coefficient is zero (docs/theory/viscoelastic.md). b and X
/// are overwritten. a [n_columns]. Returns the number of columns kept.
int truncated_fit(std::span<double> X, std::span<double> b, double drop, std::span<double> a);

/// Returns the work of `fits` fits whose columns all stay and are in FP32: two passes of 2 m flop
/// over each pair of columns, the right-hand side one of them.
[[nodiscard]] inline device::Work fit_work(double rows, double columns, double fits) {
    return {4.0 * rows * (columns + 1.0) * fits, 0.0,
            2.0 * rows * columns * (columns + 1.0) * fits};
}

}  // namespace kaname::predictors
