// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

namespace kaname::predictors {

/// a = argmin ||X a - b|| by modified Gram-Schmidt over the columns of X [n_columns][rows] in
/// order. A column whose norm falls to `drop` of its original during the orthogonalisation carries
/// only noise: it is left out, and its coefficient is zero (docs/theory/viscoelastic.md). b and X
/// are overwritten. a [n_columns]. Returns the number of columns kept.
int truncated_fit(std::span<double> X, std::span<double> b, double drop, std::span<double> a);

}  // namespace kaname::predictors
