// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <span>
#include <vector>

namespace kaname::linalg {

/// In place: A [n][n], symmetric positive semi-definite, becomes its inverse. Directions whose
/// Cholesky pivot falls below 1e-6 of their diagonal (a rotation that an aggregate cannot make, a
/// fixed degree of freedom) get inverse zero: the results are used in FP32, which could not tell
/// them from rounding. So do pivots below `floor` (for a block: rounding of the whole matrix).
/// Used for small blocks and the coarsest level.
void invert_semidefinite(std::span<double> A, int n, double floor = 0.0);

/// A = sum_k value[k] v_k v_k^T of a symmetric matrix.
struct SymmetricEigen {
    std::vector<double> value;   ///< [n] ascending
    std::vector<double> vector;  ///< [n][n], row k is v_k, of length one
};

/// Cyclic Jacobi rotations: slow and accurate, for reduced models of up to a few hundred unknowns.
/// A [n][n]; only its lower triangle is read. Throws InvalidArgument when a number is not finite.
[[nodiscard]] SymmetricEigen symmetric_eigen(std::span<const double> A, int n);

}  // namespace kaname::linalg
