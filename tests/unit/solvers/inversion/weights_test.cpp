// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/inversion/weights.hpp"

#include <cmath>
#include <limits>
#include <map>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/inversion/eigen.hpp"

namespace kaname::inversion::weights_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Eigen::Index kData = 60, kUnknowns = 7;

/// Observations of smooth slip with noise 1, dealt to five folds in turn.
struct Observed {
    Rows rows;
    Eigen::VectorXd values;

    explicit Observed(std::uint64_t seed) {
        Draws draws(seed);
        rows = Rows::NullaryExpr(kData, kUnknowns, [&] { return draws.normal(); });
        Eigen::VectorXd truth(kUnknowns);
        for (Eigen::Index i = 0; i < kUnknowns; ++i) {
            truth[i] = std::sin(0.5 * static_cast<double>(i));
        }
        values = rows * truth + Eigen::VectorXd::NullaryExpr(kData, [&] { return draws.normal(); });
    }
    [[nodiscard]] NormalEquations of(const std::function<bool(Eigen::Index)>& wanted) const {
        NormalEquations equations(kUnknowns);
        for (Eigen::Index i = 0; i < kData; ++i) {
            if (wanted(i)) {
                equations.add(rows.row(i), values.segment(i, 1));
            }
        }
        return equations;
    }
};

FoldedEquations folded(const Observed& observed, int folds) {
    FoldedEquations result{observed.of([](Eigen::Index) { return true; }), {}, {}};
    for (int fold = 0; fold < folds; ++fold) {
        result.test.push_back(observed.of([&](Eigen::Index i) { return i % folds == fold; }));
    }
    return result;
}

/// Second differences of a chain of amounts, not negative.
Regulariser chain() {
    Eigen::MatrixXd l = Eigen::MatrixXd::Zero(kUnknowns, kUnknowns);
    for (Eigen::Index i = 0; i < kUnknowns; ++i) {
        l(i, i) = 2.0;
        if (i > 0) {
            l(i, i - 1) = l(i - 1, i) = -1.0;
        }
    }
    return {l.transpose() * l,
            Eigen::VectorXd::Ones(kUnknowns),
            {Eigen::VectorXd::Zero(kUnknowns), Eigen::VectorXd::Constant(kUnknowns, kInfinity)},
            {}};
}

TEST(NormalEquations, KeepTheMisfitOfAllObservations) {
    Draws draws(3);
    const Rows rows = Rows::NullaryExpr(500, 130, [&] { return draws.normal(); });
    const Eigen::VectorXd values =
        Eigen::VectorXd::NullaryExpr(500, [&] { return draws.normal(); });
    const Eigen::VectorXd x = Eigen::VectorXd::NullaryExpr(130, [&] { return draws.normal(); });
    NormalEquations equations(130);
    equations.add(rows.topRows(200), values.head(200));
    equations.add(rows.bottomRows(300), values.tail(300));

    EXPECT_EQ(equations.n_data, 500);
    EXPECT_NEAR(equations.misfit(x), (values - rows * x).squaredNorm(), 1e-9);
    EXPECT_LT((equations.symmetric() - rows.transpose() * rows).cwiseAbs().maxCoeff(), 1e-11);
}

TEST(Weights, CrossValidationIsTheMisfitOfWhatWasLeftOut) {
    const Observed observed(11);
    const Regulariser regulariser = chain();
    const WeightGrid grid{{0.1, 3.0, 0.0}, {0.0, 5.0}};

    const WeightScores scores = score_weights(folded(observed, 5), regulariser, grid);

    for (std::size_t i = 0; i < grid.smoothness.size(); ++i) {
        for (std::size_t j = 0; j < grid.sparsity.size(); ++j) {
            double left_out = 0.0;
            std::vector<double> per_fold;
            for (int fold = 0; fold < 5; ++fold) {
                const NormalEquations rest =
                    observed.of([&](Eigen::Index k) { return k % 5 != fold; });
                const Eigen::VectorXd x =
                    fit(rest, regulariser, grid.smoothness[i], grid.sparsity[j]).x;
                double own = 0.0;
                for (Eigen::Index k = fold; k < kData; k += 5) {
                    own += std::pow(observed.values[k] - observed.rows.row(k).dot(x), 2);
                }
                left_out += own;
                per_fold.push_back(own / (kData / 5));
            }
            const auto row = static_cast<Eigen::Index>(i), col = static_cast<Eigen::Index>(j);
            EXPECT_NEAR(scores.score(row, col), left_out / kData, 1e-9);
            double spread = 0.0;
            for (const double score : per_fold) {
                spread += std::pow(score - left_out / kData, 2);
            }
            EXPECT_NEAR(scores.error(row, col), std::sqrt(spread / 4.0 / 5.0), 1e-9);
        }
    }
}

TEST(Weights, HeldEquationsReplaceThoseOfTheTest) {
    const Observed observed(12);
    FoldedEquations equations = folded(observed, 2);
    equations.held = equations.test;
    equations.held[0] += observed.of([](Eigen::Index i) { return i == 1; });

    const NormalEquations training = equations.training(0);

    EXPECT_EQ(training.n_data, kData / 2 - 1);
}

TEST(Weights, OneOfSparsityLeavesNoSlip) {
    const Observed observed(13);
    const NormalEquations all = observed.of([](Eigen::Index) { return true; });
    const Regulariser regulariser = chain();
    const WeightScale scale = weight_scale(all, regulariser);

    EXPECT_EQ(fit(all, regulariser, 0.0, scale.sparsity).x.cwiseAbs().maxCoeff(), 0.0);
    EXPECT_GT(fit(all, regulariser, 0.0, 0.9 * scale.sparsity).x.cwiseAbs().maxCoeff(), 0.0);
    EXPECT_NEAR(scale.smoothness, all.symmetric().trace() / regulariser.r.trace(), 1e-12);
}

TEST(Weights, OneStandardErrorTakesTheStrongestWithinIt) {
    WeightScores scores;
    scores.score.resize(3, 1);
    scores.error.resize(3, 1);
    scores.score << 1.0, 1.08, 1.5;
    scores.error << 0.1, 0.1, 0.1;
    const WeightGrid grid{{1.0, 10.0, 100.0}, {0.0}};

    EXPECT_EQ(least_score(scores, grid, false).smoothness, 0U);
    EXPECT_EQ(least_score(scores, grid, true).smoothness, 1U);
}

TEST(Weights, AbicIsLeastWhereThePriorIsTheTruths) {
    // Amounts drawn from the prior of lambda = 4, much data: the criterion finds it.
    Draws draws(21);
    constexpr Eigen::Index kMany = 40;
    const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(kMany, kMany);
    constexpr double kTruth = 4.0;
    const Rows rows = Rows::NullaryExpr(400, kMany, [&] { return draws.normal(); });
    const Eigen::VectorXd x =
        Eigen::VectorXd::NullaryExpr(kMany, [&] { return draws.normal() / std::sqrt(kTruth); });
    NormalEquations all(kMany);
    all.add(rows, rows * x + Eigen::VectorXd::NullaryExpr(400, [&] { return draws.normal(); }));
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const Bounds none{Eigen::VectorXd::Constant(kMany, -kInfinity),
                      Eigen::VectorXd::Constant(kMany, kInfinity)};
    const Regulariser regulariser{identity, Eigen::VectorXd::Zero(kMany), none, {}};
    const std::vector<double> lambdas = {0.04, 0.4, 4.0, 40.0, 400.0};

    Eigen::Index best = 0;
    abic(all, regulariser, lambdas).minCoeff(&best);

    EXPECT_EQ(lambdas[best], kTruth);
}

TEST(Weights, AbicCountsAmountsAtABoundAsNoFreedom) {
    // Eight of forty amounts may slip, and there are fewer data, or the free ones alone are to be
    // counted: the criterion is that of the eight.
    for (const Eigen::Index kData : {30, 60}) {
        Draws draws(5);
        constexpr Eigen::Index kMany = 40, kSlip = 8;
        const Rows rows = Rows::NullaryExpr(kData, kMany, [&] { return draws.normal(); });
        Eigen::VectorXd x = Eigen::VectorXd::Zero(kMany);
        x.head(kSlip).setConstant(3.0);
        NormalEquations all(kMany), some(kSlip);
        const Eigen::VectorXd d =
            rows * x + Eigen::VectorXd::NullaryExpr(kData, [&] { return 0.1 * draws.normal(); });
        all.add(rows, d);
        some.add(rows.leftCols(kSlip), d);
        constexpr double kInfinity = std::numeric_limits<double>::infinity();
        const auto prior = [&](Eigen::Index n, double held) {
            Bounds bounds{Eigen::VectorXd::Constant(n, -kInfinity),
                          Eigen::VectorXd::Constant(n, kInfinity)};
            if (n > kSlip) {
                bounds.lower.tail(n - kSlip).setConstant(held);
                bounds.upper.tail(n - kSlip).setConstant(held);
            }
            return Regulariser{
                Eigen::MatrixXd::Identity(n, n), Eigen::VectorXd::Zero(n), bounds, {}};
        };
        const std::vector<double> lambdas = {0.01, 0.1, 1.0, 10.0};

        const Eigen::VectorXd bounded = abic(all, prior(kMany, 0.0), lambdas, kData > kMany);
        const Eigen::VectorXd alone = abic(some, prior(kSlip, 0.0), lambdas);
        const Eigen::VectorXd whole = abic(all, prior(kMany, 0.0), lambdas);

        EXPECT_NEAR((bounded - alone).cwiseAbs().maxCoeff(), 0.0, 1e-8);
        EXPECT_EQ((whole - alone).cwiseAbs().maxCoeff() > 1.0, kData > kMany);
    }
}

TEST(Weights, CornerOfAnLIsFound) {
    // log misfit falls to 0 at index 3, then roughness grows: (smooth to rough)
    WeightScores scores;
    scores.misfit.resize(7, 1);
    scores.roughness.resize(7, 1);
    scores.misfit << 1e6, 1e4, 1e2, 1.0, 0.9, 0.85, 0.8;
    scores.roughness << 1.0, 1.05, 1.1, 1.2, 1e2, 1e4, 1e6;
    const WeightGrid grid{{1e3, 1e2, 1e1, 1e0, 1e-1, 1e-2, 1e-3}, {0.0}};

    EXPECT_EQ(l_curve_corner(scores, grid, 0), 3U);
    EXPECT_THROW((void)l_curve_corner(scores, {{1.0, 2.0}, {0.0}}, 0), Error);
}

TEST(Appraisal, WithoutSmoothnessEverythingIsResolved) {
    const Observed observed(14);
    const NormalEquations all = observed.of([](Eigen::Index) { return true; });

    const LinearAppraisal free = appraise(all, chain(), 0.0);
    const LinearAppraisal smooth = appraise(all, chain(), 100.0);

    EXPECT_LT((free.resolution - Eigen::MatrixXd::Identity(kUnknowns, kUnknowns)).norm(), 1e-10);
    EXPECT_LT((free.covariance * all.symmetric() - Eigen::MatrixXd::Identity(kUnknowns, kUnknowns))
                  .norm(),
              1e-10);
    EXPECT_LT(smooth.resolution.trace(), 0.6 * kUnknowns);
    EXPECT_LT(smooth.covariance.trace(), free.covariance.trace());
}

TEST(Appraisal, BootstrapSpreadsLikeTheCovariance) {
    const Observed observed(15);
    std::vector<NormalEquations> groups;
    for (Eigen::Index i = 0; i < kData; ++i) {
        groups.push_back(observed.of([&](Eigen::Index k) { return k == i; }));
    }
    Regulariser regulariser = chain();
    regulariser.bounds.lower.setConstant(-kInfinity);
    NormalEquations all = observed.of([](Eigen::Index) { return true; });

    const Eigen::MatrixXd drawn = bootstrap(groups, regulariser, 0.0, 0.0, 400, 7, {});

    ASSERT_EQ(drawn.cols(), 400);
    const Eigen::VectorXd mean = drawn.rowwise().mean();
    const Eigen::VectorXd variance = (drawn.colwise() - mean).rowwise().squaredNorm() / 399.0;
    const Eigen::VectorXd expected = appraise(all, regulariser, 0.0).covariance.diagonal();
    // Noise of the data is 1; a variance from 60 observations is known to about 20 %.
    EXPECT_NEAR(variance.sum() / expected.sum(), 1.0, 0.45);
    EXPECT_LT((mean - fit(all, regulariser, 0.0, 0.0).x).norm(), 0.1);
}

TEST(Draws, AreThoseOfThePublishedGenerator) {
    // First numbers of splitmix64 from 1234567, as in the generator's public test vectors.
    Draws draws(1234567);
    EXPECT_EQ(draws.next(), 6457827717110365317ULL);
    EXPECT_EQ(draws.next(), 3203168211198807973ULL);
    EXPECT_EQ(draws.next(), 9817491932198370423ULL);
}

TEST(Draws, FoldsDifferByAtMostOneGroup) {
    std::map<int, int> sizes;
    for (const int fold : deal_folds(23, 5, 1)) {
        ++sizes[fold];
    }

    EXPECT_EQ(sizes.size(), 5U);
    for (const auto& [fold, size] : sizes) {
        EXPECT_TRUE(size == 4 || size == 5) << fold;
    }
    EXPECT_NE(deal_folds(23, 5, 1), deal_folds(23, 5, 2));
}

}  // namespace
}  // namespace kaname::inversion::weights_test
