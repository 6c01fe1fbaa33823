// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <optional>

#include "solvers/inversion/penalised_problem.hpp"
#include "solvers/inversion/weights.hpp"

namespace kaname::test {

/// A small problem with one of the combinations of what can be asked of slip.
struct RandomProblem {
    Eigen::MatrixXd q;
    Eigen::VectorXd g, l1;
    inversion::Bounds bounds;
    std::optional<inversion::LinearCondition> condition;

    [[nodiscard]] inversion::PenalisedProblem problem() const { return {q, g, l1, bounds}; }
    [[nodiscard]] double objective(const Eigen::VectorXd& x) const {
        return 0.5 * x.dot(q * x) - g.dot(x) + l1.dot(x.cwiseAbs());
    }
};

/// Bits of `kind`: 1 sparsity, 2 not negative, 4 an upper bound, 8 and 16 the condition (none,
/// equal, at most, at least), 32 more unknowns than data.
inline RandomProblem random_problem(unsigned kind, std::uint64_t seed) {
    using Relation = inversion::LinearCondition::Relation;
    inversion::Draws draws(seed);
    const auto normal = [&](Eigen::Index rows, Eigen::Index cols) {
        return Eigen::MatrixXd::NullaryExpr(rows, cols, [&] { return draws.normal(); }).eval();
    };
    const auto n = static_cast<Eigen::Index>(3 + draws.below(10));
    const Eigen::Index m = kind & 32 ? n - 1 : 2 * n;
    const Eigen::MatrixXd a = normal(m, n);
    const Eigen::VectorXd truth = normal(n, 1);
    RandomProblem p;
    p.q = a.transpose() * a + (kind & 32 ? 0.05 : 0.0) * Eigen::MatrixXd::Identity(n, n);
    p.g = a.transpose() * (a * truth + 0.3 * normal(m, 1));
    p.l1 = Eigen::VectorXd::Zero(n);
    if (kind & 1) {
        p.l1 = 0.2 * p.g.cwiseAbs().maxCoeff() * normal(n, 1).cwiseAbs();
        p.l1[0] = 0.0;
    }
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    p.bounds.lower = Eigen::VectorXd::Constant(n, kind & 2 ? 0.0 : -kInfinity);
    p.bounds.upper = Eigen::VectorXd::Constant(n, kind & 4 ? 0.7 : kInfinity);
    if ((kind & 4) && !(kind & 2)) {
        p.bounds.lower.setConstant(-0.4);
    }
    if (const unsigned relation = kind >> 3 & 3; relation > 0) {
        inversion::LinearCondition condition;
        condition.a = normal(n, 1).cwiseAbs();
        condition.b = condition.a.sum() * (relation == 2 ? 0.1 : 0.4);
        condition.relation = relation == 1   ? Relation::Equal
                             : relation == 2 ? Relation::AtMost
                                             : Relation::AtLeast;
        p.condition = condition;
    }
    return p;
}

}  // namespace kaname::test
