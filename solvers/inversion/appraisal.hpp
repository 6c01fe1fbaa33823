// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/inversion/weights.hpp"

namespace kaname::inversion {

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
