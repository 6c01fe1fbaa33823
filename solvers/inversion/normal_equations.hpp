// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/inversion/eigen.hpp"

namespace kaname::inversion {

/// Rows of a least-squares problem, one per observation; row-major, since observations come one by
/// one. Whitened: of unit covariance.
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// All that least squares keep of whitened data d and their design matrix A, n columns:
///   |d - A x|^2 = c - 2 g'x + x'H x,   H = A'A [n][n],  g = A'd [n],  c = d'd
struct NormalEquations {
    Eigen::MatrixXd h;  ///< the lower triangle alone is kept, until symmetric()
    Eigen::VectorXd g;
    double c = 0.0;
    std::int64_t n_data = 0;

    NormalEquations() = default;
    explicit NormalEquations(Eigen::Index n_unknowns)
        : h(Eigen::MatrixXd::Zero(n_unknowns, n_unknowns)), g(Eigen::VectorXd::Zero(n_unknowns)) {}

    /// Adds observations: rows [data][n], values [data]. On all threads; the sums do not depend on
    /// their number.
    void add(const Rows& rows, const Eigen::VectorXd& values);
    NormalEquations& operator+=(const NormalEquations& other);
    NormalEquations& operator-=(const NormalEquations& other);

    /// Both triangles of H.
    [[nodiscard]] Eigen::MatrixXd symmetric() const;
    /// |d - A x|^2; never below 0.
    [[nodiscard]] double misfit(const Eigen::VectorXd& x) const;
};

}  // namespace kaname::inversion
