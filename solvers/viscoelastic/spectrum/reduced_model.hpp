// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>
#include <vector>

#include "solvers/lanes/lanes.hpp"
#include "solvers/viscoelastic/model/relaxation.hpp"

namespace kaname::viscoelastic {

/// The relaxation of a source as a sum of decaying modes:
///   c(t) = sum_m amplitude_m (1 - exp(-rate_m t)) / rate_m   (amplitude_m t for rate 0)
struct RelaxationModes {
    int n_basis = 0;
    std::vector<double> rate_per_s;                            ///< [modes] >= 0
    std::vector<std::array<double, lanes::kLanes>> amplitude;  ///< [modes][n_basis]

    /// Returns c [n_basis] of the four lanes at time t after the step in slip.
    [[nodiscard]] std::vector<std::array<double, lanes::kLanes>> at(double t_s) const;
    /// Returns the part of c that still acts in a material after relaxation,
    /// int_0^t mu(t - t')/mu dc(t').
    [[nodiscard]] std::vector<std::array<double, lanes::kLanes>> remembered(
        const Relaxation& relaxation, double t_s) const;

private:
    [[nodiscard]] std::vector<std::array<double, lanes::kLanes>> weighted(
        std::span<const double> weight) const;
};

/// Galerkin model of a viscoelastic body on a small basis W (viscoelastic.md, "Relaxation
/// spectrum"). With K(g) = K_el + sum_j g_j K_j, K_j the deviatoric stiffness of the elements of
/// group j, and the elastic answer u_0 to a step in slip at t = 0,
///   u(t) = u_0 + W c(t),     A_el = W^T K_el W,  A_j = W^T K_j W,  b_j = W^T q_j,
/// where q_j is the force of the deviatoric stress that group j has right after the step. Answers
/// for any linear rheology of the groups are dense algebra of this size.
struct ReducedModel {
    using LaneRows = std::vector<std::array<double, lanes::kLanes>>;

    int n_basis = 0;
    std::vector<double> A_el;            ///< [n][n]
    std::vector<std::vector<double>> A;  ///< [groups][n][n]
    std::vector<LaneRows> b;             ///< [groups][n], four lanes

    /// c of the Laplace-domain problem with step-like slip: (A_el + sum g_j A_j) c =
    /// sum (1 - g_j) b_j. g [groups], each in (0, 1].
    [[nodiscard]] LaneRows at(std::span<const double> g) const;

    /// The motion in time, one relaxation [groups]. Each branch k of group j is an internal
    /// variable of its own; with A_el + sum A_j = I after a change of basis and A_j = B_j B_j^T,
    ///   y' = R (beta - (I - E^T E) y),   c = E y,   E = [share_k^1/2 B_j],  R = diag(rate_k),
    /// a symmetric eigenproblem once R^1/2 is split off.
    [[nodiscard]] RelaxationModes modes(std::span<const Relaxation> relaxation) const;
};

/// The reduced model on the basis v_k = sum_i T[k][i] w_i that is orthonormal in the unrelaxed
/// energy (T (A_el + sum A_j) T^T = 1), without the directions that only rounding tells apart: its
/// coefficients stay small, so that fields of the basis can be kept in single precision.
struct OrthonormalModel {
    ReducedModel model;
    std::vector<double> T;  ///< [model.n_basis][n_basis of the model it came from]
};
[[nodiscard]] OrthonormalModel orthonormal(const ReducedModel& model);

}  // namespace kaname::viscoelastic
