// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <complex>
#include <span>
#include <vector>

#include "solvers/viscoelastic/spectrum/reduced_model.hpp"

namespace kaname::viscoelastic {

/// x [n][4] of (A_el + sum g_j A_j) x = sum (1 - g_j) b_j at complex g [groups]: what
/// ReducedModel::at() is at real ones. L D L^T without pivots: the real part of s K(g(s)) is
/// positive definite on both sides of the negative real axis. In a basis that is orthonormal
/// (orthonormal()): others may be too much alike to do without pivots.
[[nodiscard]] std::vector<std::array<std::complex<double>, lanes::kLanes>> reduced_answer_at(
    const ReducedModel& model, std::span<const std::complex<double>> g);

/// Returns x at real g: the result of ReducedModel::at(), without its eigenproblem.
[[nodiscard]] ReducedModel::LaneRows reduced_answer_at(const ReducedModel& model,
                                                       std::span<const double> g);

/// Sums of the answers of lane 0 at shifts, [rows][n]: Re sum_k weights[row][k] x(g(shifts[k])).
/// relaxation [groups], weights [rows][shifts].
[[nodiscard]] std::vector<double> weighted_answers(const ReducedModel& model,
                                                   std::span<const Relaxation> relaxation,
                                                   std::span<const std::complex<double>> shifts,
                                                   std::span<const std::complex<double>> weights,
                                                   std::size_t rows);

/// TimeRows holds the coefficients of a reduced model's motion, and of the forces that it leaves,
/// at one time:
///   u - u_0 = W c[0],   R = sum_j load_j q_j - K_el W c[0] - sum_j K_j W c[1 + j]
/// with load_j = 1 - G_j(t), c[1 + j] = int_0^t G_j(t - t') dc[0](t').
struct TimeRows {
    std::vector<double> load;               ///< [groups]
    std::vector<ReducedModel::LaneRows> c;  ///< [1 + groups][n]
};

/// Computes the rows at each time > 0 by inverse Laplace transforms (inverse_laplace.hpp);
/// relaxation [groups].
[[nodiscard]] std::vector<TimeRows> rows_in_time(const ReducedModel& model,
                                                 std::span<const Relaxation> relaxation,
                                                 std::span<const double> times_s);

/// Nodes and weights of an inverse Laplace transform along a hyperbola around the negative real
/// axis, on which all singularities of a relaxing body lie (Weideman and Trefethen, Math. Comp. 76,
/// 2007, section 4: z(u) = mu (1 + sin(i u - alpha)), trapezoidal rule):
///   f(t) = Re sum_k weight_k(t) F(s_k)
/// for F with F(conj s) = conj F(s). Times are cut into windows of a decade with nodes of their
/// own. What a sum of decaying exponentials comes out with is exact to 2e-9 of its largest value.
struct LaplaceContour {
    /// Times that share their nodes.
    struct Window {
        std::size_t first_node = 0, n_nodes = 0;
        std::vector<std::size_t> times;             ///< indices into times_s
        std::vector<std::complex<double>> weights;  ///< [times of the window][n_nodes]
    };
    std::vector<std::complex<double>> s;  ///< all nodes, in the upper half plane [1/s]
    std::vector<Window> windows;
};

/// times_s in any order; a time of 0 is in no window (initial values are not to be had from a
/// contour). Throws InvalidArgument for a time that is negative or not finite.
[[nodiscard]] LaplaceContour laplace_contour(std::span<const double> times_s);

}  // namespace kaname::viscoelastic
