// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "solvers/inversion/eigen.hpp"

namespace kaname::inversion {

/// Bounds and weights of n amounts.
struct Bounds {
    Eigen::VectorXd lower, upper;  ///< may be infinite; lower <= 0 <= upper where l1 > 0
};

/// a'x = b, <= b or >= b.
struct LinearCondition {
    enum class Relation { Equal, AtMost, AtLeast };
    Eigen::VectorXd a;
    double b = 0.0;
    Relation relation = Relation::Equal;
};

/// min  1/2 x'Q x - g'x + sum_i l1_i |x_i|   with  lower <= x <= upper  and perhaps a condition.
/// Q is symmetric and positive semidefinite, with a positive diagonal where bounds are infinite.
struct PenalisedProblem {
    const Eigen::MatrixXd& q;
    const Eigen::VectorXd& g;
    Eigen::VectorXd l1;  ///< not negative
    const Bounds& bounds;
};

struct PenalisedSolution {
    Eigen::VectorXd x;
    double multiplier = 0.0;  ///< of the condition: gradient of the rest = multiplier a
    int sweeps = 0, newton_steps = 0;
};

/// Solves to the optimality conditions, within 1e-11 of the terms that cancel in each. `start` (any
/// size but n: zero) is where to begin, such as the answer for neighbouring weights. Throws
/// NotConverged.
[[nodiscard]] PenalisedSolution solve(const PenalisedProblem& problem,
                                      const Eigen::VectorXd& start = {});

/// Solves with a condition. Throws NotConverged, and InvalidArgument when no x within the bounds
/// keeps the condition.
[[nodiscard]] PenalisedSolution solve(const PenalisedProblem& problem,
                                      const std::optional<LinearCondition>& condition,
                                      const Eigen::VectorXd& start = {});

}  // namespace kaname::inversion
