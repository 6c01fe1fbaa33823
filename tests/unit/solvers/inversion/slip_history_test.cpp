// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/inversion/slip_history.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"

namespace kaname::inversion::slip_history_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::VectorXd;

constexpr double kYear = kJulianYear_s;
const std::vector<double> kEdges = {0.0, 0.5 * kYear, 0.8 * kYear, 1.6 * kYear};
const std::vector<double> kEpochs = {0.0, 0.3 * kYear, 2.0 * kYear};

MatrixXd drawn(Index rows, Index columns, Draws& draws) {
    return MatrixXd::NullaryExpr(rows, columns, [&] { return draws.normal(); });
}

/// Two series of two amounts, of other times, errors, walks and terms.
struct Case {
    std::vector<MatrixXd> greens;  ///< [series][amount][epoch]
    std::vector<MotionSeries> series;
    HistoryResponse response;

    static Case make() {
        Draws draws(5);
        std::vector<MatrixXd> greens = {drawn(2, 3, draws), drawn(2, 3, draws)};
        MatrixXd products = MatrixXd::Zero(3, 3);
        for (const MatrixXd& one : greens) {
            products += one.transpose() * one;
        }
        HistoryResponse response(kEdges, kEpochs, products);
        std::vector<MotionSeries> series(2);
        for (Index i = 0; i < 2; ++i) {
            MotionSeries& one = series[static_cast<std::size_t>(i)];
            const Index n = 14 + 5 * i;
            for (Index t = 0; t < n; ++t) {
                one.times_s.push_back((0.09 + 0.1 * static_cast<double>(t + t % 2)) * kYear);
            }
            one.values = drawn(n, 1, draws);
            one.sigma = VectorXd::Constant(n, 0.1) + 0.05 * drawn(n, 1, draws).cwiseAbs();
            one.random_walk_m = 0.2 * static_cast<double>(i);
            one.terms = MatrixXd::Ones(n, 1 + i);
            if (i == 1) {
                one.terms.col(1) = drawn(n, 1, draws);
            }
            one.gamma = response.in_shapes(greens[static_cast<std::size_t>(i)]);
        }
        return {std::move(greens), std::move(series), std::move(response)};
    }
    /// C of walk and errors.
    static MatrixXd covariance(const MotionSeries& one) {
        const Index n = one.values.size();
        MatrixXd c = one.sigma.array().square().matrix().asDiagonal();
        for (Index a = 0; a < n; ++a) {
            for (Index b = 0; b < n; ++b) {
                const double since_s =
                    one.times_s[static_cast<std::size_t>(std::min(a, b))] - one.times_s.front();
                c(a, b) += one.random_walk_m * one.random_walk_m * since_s / kYear;
            }
        }
        return c;
    }
    /// Motion at the times of a series by each rate [T][step amount]: sums over short times.
    [[nodiscard]] MatrixXd design(std::size_t i) const {
        constexpr int kParts = 4000;
        MatrixXd a = MatrixXd::Zero(series[i].values.size(), 6);
        for (Index t = 0; t < a.rows(); ++t) {
            for (Index k = 0; k < 3; ++k) {
                const double begin = kEdges[static_cast<std::size_t>(k)];
                const double end = kEdges[static_cast<std::size_t>(k) + 1];
                for (int part = 0; part < kParts; ++part) {
                    const double at = begin + (end - begin) * (part + 0.5) / kParts;
                    const double age = series[i].times_s[static_cast<std::size_t>(t)] - at;
                    if (age < 0.0) {
                        continue;
                    }
                    const Index e = age < kEpochs[1] ? 0 : 1;
                    const double share = (age - kEpochs[static_cast<std::size_t>(e)]) /
                                         (kEpochs[static_cast<std::size_t>(e) + 1] -
                                          kEpochs[static_cast<std::size_t>(e)]);
                    a.row(t).segment(2 * k, 2) +=
                        (end - begin) / kYear / kParts *
                        ((1.0 - share) * greens[i].col(e) + share * greens[i].col(e + 1))
                            .transpose();
                }
            }
        }
        return a;
    }
};

TEST(SlipHistory, EquationsAreThoseOfTheWholeCovariance) {
    const Case of = Case::make();
    ASSERT_EQ(of.response.n_shapes(), 3);
    const NormalEquations found = history_equations(of.response, of.series, [](double) {});

    MatrixXd h = MatrixXd::Zero(6, 6);
    VectorXd g = VectorXd::Zero(6);
    double c = 0.0;
    for (std::size_t i = 0; i < 2; ++i) {
        const MotionSeries& one = of.series[i];
        const MatrixXd inverse = Case::covariance(one).inverse();
        const MatrixXd weighted = inverse * one.terms;
        const MatrixXd w = inverse - weighted * (one.terms.transpose() * weighted).inverse() *
                                         weighted.transpose();
        const MatrixXd a = of.design(i);
        h += a.transpose() * w * a;
        g += a.transpose() * w * one.values;
        c += one.values.dot(w * one.values);
    }
    // The sums over short times are off by a part of their number.
    EXPECT_LT((found.symmetric() - h).cwiseAbs().maxCoeff() / h.cwiseAbs().maxCoeff(), 2e-3);
    EXPECT_LT((found.g - g).cwiseAbs().maxCoeff() / g.cwiseAbs().maxCoeff(), 2e-3);
    EXPECT_NEAR(found.c, c, 1e-9 * c);
    EXPECT_EQ(found.n_data, 14 + 19 - 3);
}

TEST(SlipHistory, FewShapesHoldGreensFunctionsThatAreProportional) {
    MatrixXd products = MatrixXd::Zero(3, 3);
    const RowVectorXd shape = RowVectorXd{{1.0, 1.5, 1.7}};
    products += 4.0 * shape.transpose() * shape;
    const HistoryResponse response(kEdges, kEpochs, products);

    EXPECT_EQ(response.n_shapes(), 1);
    EXPECT_THROW((void)response.weights(2.1 * kYear), Error);
    EXPECT_EQ(response.weights(0.0).cwiseAbs().maxCoeff(), 0.0);
}

TEST(SlipHistory, WeightIsSearchedAndBoundsHold) {
    const Case of = Case::make();
    const NormalEquations equations = history_equations(of.response, of.series, [](double) {});
    const HistoryPrior prior(kEdges, true, MatrixXd{{2.0, -1.0}, {-1.0, 2.0}});
    const double infinity = std::numeric_limits<double>::infinity();
    const Bounds bounds{VectorXd::Zero(6), VectorXd::Constant(6, infinity)};
    const HistoryEstimate found = estimate_history(equations, prior, bounds, {}, [](double) {});

    // The least of those that were tried, which the general criterion takes, too.
    Regulariser whole{MatrixXd::Zero(6, 6), VectorXd::Zero(6), bounds, {}};
    for (Index k = 0; k < 3; ++k) {
        for (Index other = 0; other < 3; ++other) {
            whole.r.block(2 * k, 2 * other, 2, 2) = prior.steps(k, other) * prior.smooth;
        }
    }
    std::vector<double> lambdas;
    for (const double weight : found.weights) {
        lambdas.push_back(weight * found.scale);
    }
    const VectorXd criterion = abic(equations, whole, lambdas);
    ASSERT_GE(found.abic.size(), 3u);
    Index best = 0;
    (void)criterion.minCoeff(&best);
    EXPECT_EQ(found.weight, found.weights[static_cast<std::size_t>(best)]);
    for (std::size_t i = 1; i < found.abic.size(); ++i) {
        EXPECT_NEAR(found.abic[i] - found.abic[0], criterion[static_cast<Index>(i)] - criterion[0],
                    1e-7);
    }
    const double lambda = found.weight * found.scale;
    const MatrixXd q = equations.symmetric() + lambda * whole.r;
    const VectorXd slope = q * found.rates - equations.g;
    EXPECT_LT((q.inverse() * equations.g).minCoeff(), 0.0);  // bounds matter
    for (Index i = 0; i < 6; ++i) {
        EXPECT_GE(found.rates[i], 0.0);
        EXPECT_GE(slope[i], -1e-7);
        EXPECT_NEAR(found.rates[i] * slope[i], 0.0, 1e-7);
    }
    const MatrixXd w = MatrixXd::Identity(6, 6).rightCols(2).bottomRows(4);
    EXPECT_NEAR(deviations(found.factor, 2, w)[0], std::sqrt(q.inverse()(4, 4)), 1e-9);
}

}  // namespace
}  // namespace kaname::inversion::slip_history_test
