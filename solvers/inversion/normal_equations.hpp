// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/base/vec3.hpp"
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

/// Integrates the last n unknowns a, which are N(0, 1) each and independent, out of the equations:
/// those of the others where A a belongs to the errors, whose covariance 1 + A_a A_a' is then no
/// longer 1 (Woodbury's identity). Data are counted as before.
[[nodiscard]] NormalEquations integrated_out(const NormalEquations& equations, Eigen::Index n);
/// The most likely a [n], as of integrated_out(), where the unknowns before them are x.
[[nodiscard]] Eigen::VectorXd most_likely_rest(const NormalEquations& equations,
                                               const Eigen::VectorXd& x);

/// A patch among those beside it.
struct PatchNode {
    Vec3 centre;                           ///< m
    std::vector<std::int32_t> neighbours;  ///< indices of patches
    int edges = 0;        ///< sides beyond which there is no patch, but slip is known to be zero
    double weight = 1.0;  ///< of its row
};

/// Laplacian of slip on patches of any arrangement [patch][patch], by distances e_pq of centres
/// (the scale-dependent umbrella operator; Desbrun and others 1999, equation 10), negated:
///   (L s)_p = weight_p 2 / E_p  sum_q (s_p - s_q) / e_pq,   E_p = sum_q e_pq
/// Beyond each edge stands a patch without slip at the mean distance of the others. A patch alone
/// has a row of zeros. Unit 1/m^2.
[[nodiscard]] Eigen::MatrixXd laplacian(std::span<const PatchNode> patches);

/// Weights w [epochs] so that the motion at t of slip that happens at a steady pace between begin
/// and end, 1 m in all, is sum_k w_k G(epoch_k):
///   u(t) = 1/(end - begin) int_begin^min(t, end) G(t - t') dt',   a step where end = begin,
/// exact for Green's functions G that are linear between epochs (ascending, the first one 0: right
/// after the slip). None before begin. Throws OutOfRange naming the age of slip that lies beyond
/// the last epoch.
[[nodiscard]] std::vector<double> response_weights(std::span<const double> epochs_s, double begin_s,
                                                   double end_s, double t_s);

}  // namespace kaname::inversion
