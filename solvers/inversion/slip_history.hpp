// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "solvers/inversion/normal_equations.hpp"
#include "solvers/inversion/weights.hpp"

namespace kaname::inversion {

/// HistoryResponse has the motion that slip with a varying rate makes: K steps of time, in each of
/// which n amounts slip at steady rates v [m/year],
///   u(t) = sum_k sum_j v_kj int_step_k G_j(t - t') dt',   G linear between its E epochs.
/// and that sudden slip v_kj [m], k = K .. K + J - 1, makes at J events: v_kj G_j(t - t_k).
/// Green's functions of all series have few shapes in time: G_j(epoch) = sum_a S_epoch,a Gamma_ja
/// with r orthonormal shapes S [E][r].
class HistoryResponse {
public:
    /// `edges_s` [K + 1] ascending; `epochs_s` [E] of the Green's functions, the first one 0;
    /// `products` [E][E] sums of G_j(epoch) G_j(other epoch) over all amounts and series: shapes
    /// that hold less than kLeastShape of them are left out. `events_s` [J].
    HistoryResponse(std::vector<double> edges_s, std::vector<double> epochs_s,
                    const Eigen::MatrixXd& products, std::vector<double> events_s = {});

    /// Part of the sum of squares of all Green's functions that a shape must hold.
    static constexpr double kLeastShape = 1e-10;

    [[nodiscard]] Eigen::Index n_steps() const {
        return static_cast<Eigen::Index>(edges_s_.size()) - 1;
    }
    /// K + J.
    [[nodiscard]] Eigen::Index n_blocks() const {
        return n_steps() + static_cast<Eigen::Index>(events_s_.size());
    }
    [[nodiscard]] Eigen::Index n_shapes() const { return shapes_.cols(); }
    [[nodiscard]] const std::vector<double>& edges_s() const { return edges_s_; }
    /// Green's functions [n][E] as Gamma [n][r].
    [[nodiscard]] Eigen::MatrixXd in_shapes(const Eigen::MatrixXd& greens) const {
        return greens * shapes_;
    }
    /// B [(K + J) r], so that u(t) = sum_ka B_ka sum_j Gamma_ja v_kj. Throws OutOfRange
    /// where the Green's functions end before slip is as old as at t.
    [[nodiscard]] Eigen::RowVectorXd weights(double t_s) const;

private:
    std::vector<double> edges_s_, epochs_s_, events_s_;
    Eigen::MatrixXd shapes_;  ///< [E][r]
};

/// MotionSeries is the motion of one station along one direction at T times:
///   d(t) = u(t) + terms b + walk + e,   e ~ N(0, sigma^2),
/// the walk a Brownian motion from 0 at the first time, b with flat priors.
struct MotionSeries {
    std::vector<double> times_s;    ///< [T] ascending
    Eigen::VectorXd values, sigma;  ///< [T] m
    double random_walk_m = 0.0;     ///< m / sqrt(year)
    Eigen::MatrixXd terms;          ///< [T][Q]
    Eigen::MatrixXd gamma;          ///< [n][r] its Green's functions in shapes
};

/// Columns [T][any] times the inverse of the Cholesky factor of the covariance of walk and errors:
/// a Kalman filter's innovations over their standard deviations, 5 T operations for a column.
[[nodiscard]] Eigen::MatrixXd whitened(const MotionSeries& series, Eigen::MatrixXd columns);

/// Normal equations of the (K + J) n unknowns of all series, [step or event][amount], terms
/// integrated out; n_data is what these leave of the data. For a series i, with W its whitening
/// less its part on the terms,
///   H_kk' += sum_aa' Gamma_i,a (B'W'W B)_ka,k'a' Gamma_i,a'.
/// 2 K^2 n^2 r C operations for C series, K^2 n^2 numbers, without events.
[[nodiscard]] NormalEquations history_equations(const HistoryResponse& response,
                                                std::span<const MotionSeries> series,
                                                const std::function<void(double)>& progress);

/// HistoryPrior is a random walk of the rates in time whose increments are smooth in space:
///   v'(P x R) v = sum_k (v_k - v_k-1)'R (v_k - v_k-1) / (distance of their middles [years]),
/// from v_-1 = 0. Where rates may jump, at events and at a beginning that is not `from_rest`, the
/// distance is longer by all of the history, as if the walk had gone on for so long. Sudden slip of
/// an event is smooth in space with a weight of its own, v_k'R v_k.
struct HistoryPrior {
    Eigen::MatrixXd steps;    ///< P [K][K]
    Eigen::MatrixXd smooth;   ///< R [n][n]
    Eigen::Index events = 0;  ///< J

    HistoryPrior(std::span<const double> edges_s, bool from_rest, Eigen::MatrixXd smooth_amounts,
                 std::span<const double> events_s = {});
};

/// Rates and sudden slip [(K + J) n] with a weight of the prior of each, within bounds, and what
/// they were found with. Units of weights are trace H / trace (P x R), and trace H / (J trace R) of
/// the parts of H that belong to events.
struct HistoryEstimate {
    double scale = 0.0, event_scale = 0.0;
    std::vector<double> weights, abic;      ///< ascending; of rates, tried with the events' weight
    std::vector<double> misfit, roughness;  ///< of the rates without bounds at each
    double weight = 0.0, event_weight = 0.0;  ///< those that were taken
    Eigen::VectorXd rates;                    ///< [(K + J) n] m/year, of events m
    Eigen::MatrixXd factor;  ///< lower Cholesky factor of H and both priors, without bounds
};

/// Weights are those of `wanted`, or where it is empty powers of ten from `kFirstWeight` on, up or
/// down as long as Akaike's criterion (see abic()) falls: the least is taken. The weight of events
/// is searched so, too, in turns with it. Throws NotConverged where data and prior leave a rate
/// undetermined.
[[nodiscard]] HistoryEstimate estimate_history(const NormalEquations& equations,
                                               const HistoryPrior& prior, const Bounds& bounds,
                                               const std::vector<double>& wanted,
                                               const std::function<void(double)>& progress);
inline constexpr double kFirstWeight = 1e2, kFirstEventWeight = 1e-2;

/// Standard deviations of w'v of the posterior without bounds, for columns w [(K + J) n -
/// first][any] of which the unknowns before `first` are no part: |L^-1 w| with the factor L.
[[nodiscard]] Eigen::VectorXd deviations(const Eigen::MatrixXd& factor, Eigen::Index first,
                                         Eigen::MatrixXd columns);

}  // namespace kaname::inversion
