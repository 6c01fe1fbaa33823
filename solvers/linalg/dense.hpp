// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

namespace kaname::linalg {

/// In place: A [n][n], symmetric positive semi-definite, becomes its inverse. Directions whose
/// Cholesky pivot falls below 1e-6 of their diagonal (a rotation that an aggregate cannot make, a
/// fixed degree of freedom) get inverse zero: the results are used in FP32, which could not tell
/// them from rounding. So do pivots below `floor` (for a block: rounding of the whole matrix).
/// Used for small blocks and the coarsest level.
void invert_semidefinite(std::span<double> A, int n, double floor = 0.0);

}  // namespace kaname::linalg
