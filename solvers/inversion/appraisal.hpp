// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

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

}  // namespace kaname::inversion
