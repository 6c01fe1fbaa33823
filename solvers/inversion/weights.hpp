// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "solvers/inversion/normal_equations.hpp"
#include "solvers/inversion/penalised_problem.hpp"

namespace kaname::inversion {

/// Holds the terms for n amounts beside the fit to data, lambda x'R x + 2 alpha w'|x|, and their
/// bounds.
struct Regulariser {
    Eigen::MatrixXd r;  ///< L'L [n][n]
    Eigen::VectorXd w;  ///< [n], not negative
    Bounds bounds;
    std::optional<LinearCondition> condition;
};

/// Observations in folds, each with those that a solution for it may not see.
struct FoldedEquations {
    NormalEquations all;
    std::vector<NormalEquations> test;  ///< [fold] of its own observations
    /// [fold] all without the equations of the other folds: where errors are correlated between
    /// folds, not the same. Empty: as test.
    std::vector<NormalEquations> held;

    [[nodiscard]] NormalEquations training(std::size_t fold) const;
};

/// Integrates the last n unknowns, as integrated_out() of one, out of all folds: errors that the
/// observations of all folds have in common.
[[nodiscard]] FoldedEquations integrated_out(const FoldedEquations& equations, Eigen::Index n);

/// Weights to try, in the units of Scale.
struct WeightGrid {
    std::vector<double> smoothness, sparsity;
};

/// One of each weight: lambda_1 = trace H / trace R,  alpha_1 = max |g_i| / w_i: the smallest
/// sparsity that leaves no slip where no other unknown explains the data.
struct WeightScale {
    double smoothness = 1.0, sparsity = 1.0;
};
[[nodiscard]] WeightScale weight_scale(const NormalEquations& all, const Regulariser& regulariser);

/// [smoothness][sparsity] each.
struct WeightScores {
    Eigen::MatrixXd misfit;     ///< chi^2 of all observations
    Eigen::MatrixXd roughness;  ///< x'R x
    Eigen::MatrixXd score;      ///< chi^2 per observation of observations that were left out
    Eigen::MatrixXd error;      ///< standard error of score over folds
    Eigen::VectorXd abic;       ///< [smoothness], without sparsity
};

/// Called with how much is done, 0 to 1, by any thread but one at a time.
using ScoreProgress = std::function<void(double)>;

/// The solution with given weights; `start` as in solve().
[[nodiscard]] PenalisedSolution fit(const NormalEquations& equations,
                                    const Regulariser& regulariser, double lambda, double alpha,
                                    const Eigen::VectorXd& start = {});

/// Misfit and roughness over the grid, along each smoothness from the largest sparsity down, each
/// solution the start of the next; with folds also k-fold cross-validation. Threads share
/// out folds and smoothnesses.
[[nodiscard]] WeightScores score_weights(const FoldedEquations& equations,
                                         const Regulariser& regulariser, const WeightGrid& grid,
                                         const ScoreProgress& progress = {});

/// Akaike's Bayesian information criterion of smoothness [grid.smoothness], Gaussian (Yabuki and
/// Matsu'ura 1992, equation 26), up to a constant:
///   (N + P - M) log s(x*) - P log lambda - log |R| + log |H + lambda R|,
///   s = |d - A x|^2 + lambda x'R x,
/// N observations, M unknowns, P the rank of R, x* without bounds. With `free_alone`, and where
/// there are fewer observations than unknowns, x* is the bounded solution, and R, H and M are those
/// of the amounts within their bounds there: amounts at a bound, counted as freedom, made slip of
/// few data far too smooth. With many data the whole criterion is the better one
/// (docs/user/inversion.md).
[[nodiscard]] Eigen::VectorXd abic(const NormalEquations& all, const Regulariser& regulariser,
                                   const std::vector<double>& lambdas, bool free_alone = false);

/// Indices of amounts that lie within their bounds.
[[nodiscard]] std::vector<Eigen::Index> free_amounts(const Eigen::VectorXd& x,
                                                     const Bounds& bounds);

struct ChosenWeights {
    std::size_t smoothness = 0, sparsity = 0;  ///< indices into the grid
};
/// The least score; or the strongest weights, smoothness first, within a standard error of it.
[[nodiscard]] ChosenWeights least_score(const WeightScores& scores, const WeightGrid& grid,
                                        bool one_standard_error);
/// The corner of (log misfit, log roughness) over smoothness: largest curvature of the circle
/// through three neighbours. Throws InvalidArgument for fewer than three.
[[nodiscard]] std::size_t l_curve_corner(const WeightScores& scores, const WeightGrid& grid,
                                         std::size_t sparsity);

/// How well amounts are told, without bounds and sparsity (Tarantola 2005, sections 3.2 and 3.3):
///   covariance C = (H + lambda R)^-1,  resolution C H,  both [n][n].
struct LinearAppraisal {
    Eigen::MatrixXd covariance, resolution;
};
[[nodiscard]] LinearAppraisal appraise(const NormalEquations& all, const Regulariser& regulariser,
                                       double lambda);

/// Solutions [n][replicates] for observations of groups (stations) drawn with replacement, with the
/// same weights: their spread holds what covariances leave out, and keeps to the bounds.
[[nodiscard]] Eigen::MatrixXd bootstrap(std::span<const NormalEquations> groups,
                                        const Regulariser& regulariser, double lambda, double alpha,
                                        int replicates, std::uint64_t seed,
                                        const Eigen::VectorXd& start);

/// Random numbers that are the same everywhere: splitmix64 (Steele, Lea and Flood 2014).
class Draws {
public:
    explicit Draws(std::uint64_t seed) : state_(seed) {}

    [[nodiscard]] std::uint64_t next();
    /// Returns 0 to n - 1; n is far below 2^64, so that the remainder's bias does not matter.
    [[nodiscard]] std::size_t below(std::size_t n) { return next() % n; }
    /// Returns a draw from the normal distribution with mean 0 and variance 1 (Box and Muller
    /// 1958).
    [[nodiscard]] double normal();

private:
    std::uint64_t state_;
};

/// A fold for each of n groups in a given order: the groups are shuffled (Fisher and Yates, from
/// the back) and dealt in turn, so that folds differ by at most one group.
[[nodiscard]] std::vector<int> deal_folds(std::size_t n_groups, int n_folds, std::uint64_t seed);

}  // namespace kaname::inversion
