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
const std::vector<double> kEvents = {0.6 * kYear};
constexpr Index kUnknowns = 8;  // of three steps and an event

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
        HistoryResponse response(kEdges, kEpochs, products, kEvents);
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
        Case all{std::move(greens), std::move(series), std::move(response)};
        const VectorXd truth{{2.0, -1.0, 3.0, -2.0, 1.0, 0.5, 2.0, 1.5}};
        for (std::size_t i = 0; i < 2; ++i) {
            MotionSeries& one = all.series[i];
            one.values = all.design(i) * truth + 0.1 * one.values;
        }
        return all;
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
    /// Motion of a series by slip of each amount, of some age.
    [[nodiscard]] RowVectorXd at_age(std::size_t i, double age_s) const {
        if (age_s < 0.0) {
            return RowVectorXd::Zero(2);
        }
        const Index e = age_s < kEpochs[1] ? 0 : 1;
        const double share =
            (age_s - kEpochs[static_cast<std::size_t>(e)]) /
            (kEpochs[static_cast<std::size_t>(e) + 1] - kEpochs[static_cast<std::size_t>(e)]);
        return ((1.0 - share) * greens[i].col(e) + share * greens[i].col(e + 1)).transpose();
    }
    /// Motion at the times of a series by each rate and by sudden slip [T][step or event amount]:
    /// sums over short times.
    [[nodiscard]] MatrixXd design(std::size_t i) const {
        constexpr int kParts = 4000;
        MatrixXd a = MatrixXd::Zero(series[i].values.size(), kUnknowns);
        for (Index t = 0; t < a.rows(); ++t) {
            for (Index k = 0; k < 3; ++k) {
                const double begin = kEdges[static_cast<std::size_t>(k)];
                const double end = kEdges[static_cast<std::size_t>(k) + 1];
                for (int part = 0; part < kParts; ++part) {
                    const double at = begin + (end - begin) * (part + 0.5) / kParts;
                    a.row(t).segment(2 * k, 2) +=
                        (end - begin) / kYear / kParts *
                        at_age(i, series[i].times_s[static_cast<std::size_t>(t)] - at);
                }
            }
            a.row(t).tail(2) =
                at_age(i, series[i].times_s[static_cast<std::size_t>(t)] - kEvents[0]);
        }
        return a;
    }
};

TEST(SlipHistory, EquationsAreThoseOfTheWholeCovariance) {
    const Case of = Case::make();
    ASSERT_EQ(of.response.n_shapes(), 3);
    const NormalEquations found = history_equations(of.response, of.series, [](double) {});

    MatrixXd h = MatrixXd::Zero(kUnknowns, kUnknowns);
    VectorXd g = VectorXd::Zero(kUnknowns);
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
    const HistoryPrior prior(kEdges, true, MatrixXd{{2.0, -1.0}, {-1.0, 2.0}}, kEvents);
    const double infinity = std::numeric_limits<double>::infinity();
    const Bounds bounds{VectorXd::Zero(kUnknowns), VectorXd::Constant(kUnknowns, infinity)};
    const HistoryEstimate found = estimate_history(equations, prior, bounds, {}, [](double) {});

    // The least of those that were tried, which the general criterion takes, too. A prior with the
    // ratio of both weights within it has one weight alone.
    const auto whole_at = [&](double weight) {
        Regulariser whole{
            MatrixXd::Zero(kUnknowns, kUnknowns), VectorXd::Zero(kUnknowns), bounds, {}};
        for (Index k = 0; k < 3; ++k) {
            for (Index other = 0; other < 3; ++other) {
                whole.r.block(2 * k, 2 * other, 2, 2) = prior.steps(k, other) * prior.smooth;
            }
        }
        whole.r.bottomRightCorner(2, 2) =
            found.event_weight * found.event_scale / (weight * found.scale) * prior.smooth;
        return whole;
    };
    ASSERT_GE(found.abic.size(), 3u);
    VectorXd criterion(static_cast<Index>(found.abic.size()));
    for (Index i = 0; i < criterion.size(); ++i) {
        const double weight = found.weights[static_cast<std::size_t>(i)];
        criterion[i] =
            abic(equations, whole_at(weight), std::vector<double>{weight * found.scale})[0];
    }
    Index best = 0;
    (void)criterion.minCoeff(&best);
    EXPECT_EQ(found.weight, found.weights[static_cast<std::size_t>(best)]);
    for (std::size_t i = 1; i < found.abic.size(); ++i) {
        EXPECT_NEAR(found.abic[i] - found.abic[0], criterion[static_cast<Index>(i)] - criterion[0],
                    1e-7);
    }
    // Another weight of events is no better, and a fixed weight of rates leaves it as it is.
    for (const double factor : {0.1, 10.0}) {
        Regulariser whole = whole_at(found.weight);
        whole.r.bottomRightCorner(2, 2) *= factor;
        EXPECT_GT(abic(equations, whole, std::vector<double>{found.weight * found.scale})[0],
                  criterion[best]);
    }
    EXPECT_EQ(
        estimate_history(equations, prior, bounds, {found.weight}, [](double) {}).event_weight,
        found.event_weight);
    const double lambda = found.weight * found.scale;
    const MatrixXd q = equations.symmetric() + lambda * whole_at(found.weight).r;
    const VectorXd slope = q * found.rates - equations.g;
    EXPECT_LT((q.inverse() * equations.g).minCoeff(), 0.0);  // bounds matter
    for (Index i = 0; i < kUnknowns; ++i) {
        EXPECT_GE(found.rates[i], 0.0);
        EXPECT_GE(slope[i], -1e-7);
        EXPECT_NEAR(found.rates[i] * slope[i], 0.0, 1e-7);
    }
    const MatrixXd w = MatrixXd::Identity(kUnknowns, kUnknowns).rightCols(2).bottomRows(4);
    EXPECT_NEAR(deviations(found.factor, 4, w)[0], std::sqrt(q.inverse()(6, 6)), 1e-9);
}

TEST(SlipHistory, RatesMayJumpAtEventsAndAtAFreeBeginning) {
    const std::vector<double> edges = {0.0, kYear, 2.0 * kYear, 3.0 * kYear};
    const MatrixXd smooth = MatrixXd::Identity(1, 1);
    // Increments v_0, v_1 - v_0, v_2 - v_1 have the precisions that steps(i, i) sum up.
    const auto increments = [&](bool from_rest, const std::vector<double>& events_s) {
        const MatrixXd p = HistoryPrior(edges, from_rest, smooth, events_s).steps;
        return VectorXd{{p(0, 0) + p(0, 1), -p(0, 1), -p(1, 2)}};
    };
    EXPECT_EQ(increments(true, {}), (VectorXd{{1.0, 1.0, 1.0}}));
    EXPECT_EQ(increments(false, {}), (VectorXd{{0.25, 1.0, 1.0}}));
    EXPECT_EQ(increments(true, {0.0}), (VectorXd{{0.25, 1.0, 1.0}}));
    EXPECT_EQ(increments(true, {kYear}), (VectorXd{{1.0, 0.25, 1.0}}));
    // Within a step it may jump on both sides.
    EXPECT_EQ(increments(true, {1.5 * kYear}), (VectorXd{{1.0, 0.25, 0.25}}));
}

}  // namespace
}  // namespace kaname::inversion::slip_history_test
