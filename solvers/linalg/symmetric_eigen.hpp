// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

namespace kaname::linalg {

/// A = sum_k value[k] v_k v_k^T of a symmetric matrix.
struct SymmetricEigen {
    std::vector<double> value;   ///< [n] ascending
    std::vector<double> vector;  ///< [n][n], row k is v_k, of length one
};

/// Cyclic Jacobi rotations: slow and accurate, for reduced models of up to a few hundred unknowns.
/// A [n][n]; only its lower triangle is read. Throws InvalidArgument when a number is not finite.
[[nodiscard]] SymmetricEigen symmetric_eigen(std::span<const double> A, int n);

}  // namespace kaname::linalg
