// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/inversion/penalised_problem.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iomanip>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "tests/support/python_check.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/solvers/inversion/random_problem.hpp"

namespace kaname::inversion::penalised_problem_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Eigen::VectorXd vector(std::initializer_list<double> values) {
    Eigen::VectorXd v(static_cast<Eigen::Index>(values.size()));
    std::ranges::copy(values, v.begin());
    return v;
}

Bounds unbounded(Eigen::Index n) {
    return {Eigen::VectorXd::Constant(n, -kInfinity), Eigen::VectorXd::Constant(n, kInfinity)};
}

/// Largest violation of the optimality conditions, relative to the terms that cancel: with the
/// gradient r = Q x - g, where x may grow r + l1 sign(x + 0) >= 0, where it may fall
/// r + l1 sign(x - 0) <= 0.
double optimality_violation(const PenalisedProblem& problem, const Eigen::VectorXd& x) {
    const Eigen::VectorXd product = problem.q * x, r = product - problem.g;
    const double norm = std::sqrt(std::max(0.0, x.dot(product)));
    double worst = 0.0;
    for (Eigen::Index i = 0; i < x.size(); ++i) {
        const double l1 = problem.l1[i];
        double broken = 0.0;
        if (x[i] < problem.bounds.upper[i]) {
            broken = std::max(broken, -(r[i] + (x[i] >= 0.0 ? l1 : -l1)));
        }
        if (x[i] > problem.bounds.lower[i]) {
            broken = std::max(broken, r[i] + (x[i] > 0.0 ? l1 : -l1));
        }
        // |(Q x)_i| <= sqrt(Q_ii x'Q x)
        const double terms = std::abs(problem.g[i]) + l1 + std::sqrt(problem.q(i, i)) * norm;
        worst = broken > 0.0 ? std::max(worst, broken / terms) : worst;
    }
    return worst;
}

TEST(PenalisedProblem, SoftThresholdsIndependentAmounts) {
    const Eigen::MatrixXd q = vector({1.0, 2.0, 4.0}).asDiagonal();
    const Eigen::VectorXd g = vector({3.0, -1.0, 0.5});

    const PenalisedSolution found = solve({q, g, vector({1.0, 0.4, 0.6}), unbounded(3)});

    // x_i = sign(g_i) max(0, |g_i| - l1_i) / q_i
    EXPECT_NEAR(found.x[0], 2.0, 1e-14);
    EXPECT_NEAR(found.x[1], -0.3, 1e-14);
    EXPECT_EQ(found.x[2], 0.0);
}

TEST(PenalisedProblem, WithoutPenaltiesIsTheLinearSystem) {
    const test::RandomProblem p = test::random_problem(0, 5);

    const PenalisedSolution found = solve(p.problem());

    EXPECT_LT((p.q * found.x - p.g).norm(), 1e-10 * p.g.norm());
}

TEST(PenalisedProblem, AmountsAtBoundsAreExactlyThere) {
    // The free minimum is (1, -1); x_1 >= 0 moves x_0 to g_0 / q_00.
    Eigen::MatrixXd q(2, 2);
    q << 2.0, 1.0, 1.0, 2.0;
    const Eigen::VectorXd g = vector({1.0, -1.0});
    const Bounds bounds{vector({0.0, 0.0}), vector({kInfinity, kInfinity})};

    const PenalisedSolution found = solve({q, g, Eigen::VectorXd::Zero(2), bounds});

    EXPECT_NEAR(found.x[0], 0.5, 1e-14);
    EXPECT_EQ(found.x[1], 0.0);
}

TEST(PenalisedProblem, NearlySingularAmountsConverge) {
    // Two amounts that the data tell apart by 1e-5 only, a third that they do not see but for
    // noise.
    Eigen::MatrixXd a(4, 3);
    a << 1.0, 1.0, 1e-6, 0.5, 0.5 + 1e-5, 0.0, 0.2, 0.2, 0.0, 0.9, 0.9, 0.0;
    const Eigen::MatrixXd q = a.transpose() * a;
    const Eigen::VectorXd g = a.transpose() * vector({1.0, 0.4, 0.3, 0.8});
    const Bounds bounds{Eigen::VectorXd::Zero(3), Eigen::VectorXd::Constant(3, kInfinity)};
    const PenalisedProblem problem{q, g, Eigen::VectorXd::Zero(3), bounds};

    const PenalisedSolution found = solve(problem);

    EXPECT_LT(optimality_violation(problem, found.x), 1e-8);
}

TEST(PenalisedProblem, StartDoesNotChangeTheAnswer) {
    for (unsigned kind = 0; kind < 8; ++kind) {
        const test::RandomProblem p = test::random_problem(kind, 100 + kind);
        const Eigen::VectorXd far = Eigen::VectorXd::Constant(p.g.size(), 0.3);
        EXPECT_LT((solve(p.problem()).x - solve(p.problem(), far).x).norm(), 1e-9) << kind;
    }
}

TEST(PenalisedProblem, ConditionThatNoAmountCanKeepIsNamed) {
    const Eigen::MatrixXd q = Eigen::MatrixXd::Identity(2, 2);
    const Eigen::VectorXd g = vector({1.0, 1.0});
    const Bounds bounds{vector({0.0, 0.0}), vector({1.0, 1.0})};
    const LinearCondition condition{vector({1.0, 1.0}), 3.0, LinearCondition::Relation::Equal};

    try {
        (void)solve({q, g, Eigen::VectorXd::Zero(2), bounds}, condition);
        FAIL() << "a sum of 3 of two amounts of at most 1";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
        EXPECT_NE(std::string(error.what()).find("0.000000 to 2.000000"), std::string::npos);
    }
}

TEST(PenalisedProblem, MultiplierIsTheGradientAlongTheCondition) {
    const test::RandomProblem p = test::random_problem(8, 17);

    const PenalisedSolution found = solve(p.problem(), p.condition);

    EXPECT_LT((p.q * found.x - p.g - found.multiplier * p.condition->a).norm(), 1e-9);
}

/// cvxopt's interior point solver on the same problems
/// (tests/unit/solvers/inversion/check_cvxopt.py).
TEST(PenalisedProblem, AgreesWithAReferenceSolverOnRandomProblems) {
    const support::TemporaryFolder folder;
    const std::filesystem::path file = folder.path("problems.txt");
    constexpr int kProblems = 256;  // every combination of six bits four times
    {
        std::ofstream out(file);
        out << std::setprecision(17);
        const auto row = [&](const auto& values) {
            for (const double value : values) {
                out << ' ' << value;
            }
            out << '\n';
        };
        for (int k = 0; k < kProblems; ++k) {
            const test::RandomProblem p = test::random_problem(k % 64, 1000 + k);
            const PenalisedSolution found = solve(p.problem(), p.condition);
            out << k % 64 << ' ' << p.g.size() << ' ' << (p.condition ? p.condition->b : 0.0)
                << '\n';
            row(p.q.reshaped());
            row(p.g);
            row(p.l1);
            row(p.bounds.lower);
            row(p.bounds.upper);
            row(p.condition ? p.condition->a : Eigen::VectorXd::Zero(p.g.size()).eval());
            row(found.x);
        }
    }
    const int code =
        test::python_check("tests/unit/solvers/inversion/check_cvxopt.py", {file.string()});
    std::filesystem::remove(file);
    if (code == test::kSkipped) {
        GTEST_SKIP() << "python3-cvxopt is missing";
    }
    EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace kaname::inversion::penalised_problem_test
