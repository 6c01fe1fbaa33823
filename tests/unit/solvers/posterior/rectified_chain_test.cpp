// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/posterior/rectified_chain.hpp"

#include <array>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/inversion/weights.hpp"
#include "solvers/posterior/sampling.hpp"

namespace kaname::posterior::rectified_chain_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

DataSet data_of(const MatrixXd& a, const VectorXd& d) {
    return {a.transpose() * a, a.transpose() * d, d.squaredNorm(), static_cast<double>(d.size())};
}

/// Three data of two amounts that are at least 0; their prior has unit variances.
RectifiedProblem two_amounts(double correlation) {
    MatrixXd a(3, 2), covariance(2, 2);
    a << 1.0, 0.7, 0.2, -1.0, 0.5, 0.5;
    covariance << 1.0, correlation, correlation, 1.0;
    RectifiedProblem problem;
    problem.sets = {data_of(1.5 * a, Eigen::Vector3d(0.3, -0.8, 0.6))};
    problem.fields = {{0, 2, {covariance}, 1.0, 1.0}};
    problem.lower = VectorXd::Zero(2);
    problem.upper = VectorXd::Constant(2, kInfinity);
    problem.known_errors = true;
    return problem;
}

struct Averages {
    std::vector<std::vector<double>> series;  ///< [number][draw]

    void add(std::size_t k, double value) {
        series.resize(std::max(series.size(), k + 1));
        series[k].push_back(value);
    }
    /// Distance of a mean from its truth in Monte Carlo errors.
    [[nodiscard]] double off(std::size_t k, double truth) const {
        double mean = 0.0, square = 0.0;
        for (const double value : series[k]) {
            mean += value / static_cast<double>(series[k].size());
        }
        for (const double value : series[k]) {
            square += (value - mean) * (value - mean) / static_cast<double>(series[k].size());
        }
        const double effective = diagnose(std::span(&series[k], 1)).effective;
        return std::abs(mean - truth) / std::sqrt(square / effective);
    }
};

/// Means and probabilities of zero, both by quadrature of the two-dimensional density.
void expect_rectified(double correlation, const std::vector<double>& truth) {
    const RectifiedProblem problem = two_amounts(correlation);
    const PreparedFields fields(problem);
    RectifiedChain chain(problem, fields, 7, RectifiedChain::Start::Prior);
    Averages averages;
    for (int k = 0; k < 40000; ++k) {
        chain.step();
        for (const Index j : {0, 1}) {
            const double m = chain.amounts()[j];
            averages.add(static_cast<std::size_t>(j), m);
            averages.add(static_cast<std::size_t>(2 + j), m == 0.0 ? 1.0 : 0.0);
        }
    }
    for (std::size_t k = 0; k < truth.size(); ++k) {
        // The truth has four digits.
        EXPECT_LT(averages.off(k, truth[k]), 4.0) << correlation << " " << k;
    }
}

TEST(RectifiedChain, HasTheMeansOfTwoRectifiedAmounts) {
    expect_rectified(0.6, {0.1375, 0.1977, 0.6545, 0.5771});
    expect_rectified(-0.95, {0.1837, 0.3392, 0.6009, 0.3829});
}

TEST(Trajectory, AloneHasTheMeansOfTwoTruncatedAmounts) {
    // Inside one orthant the trajectory samples the truncated distribution.
    for (const auto& [correlation, first, second] :
         {std::array{0.6, 0.4039, 0.4780}, std::array{-0.95, 0.1828, 0.2142}}) {
        const RectifiedProblem problem = two_amounts(correlation);
        const MatrixXd precision = problem.fields[0].covariance[0].inverse();
        RandomStream random(3);
        VectorXd z = VectorXd::Ones(2);
        Averages averages;
        for (int k = 0; k < 40000; ++k) {
            MatrixXd q = precision + problem.sets[0].h;
            follow_trajectory(q, problem.sets[0].g, problem.lower, problem.upper, random, z);
            averages.add(0, z[0]);
            averages.add(1, z[1]);
        }
        EXPECT_LT(averages.off(0, first), 4.0) << correlation;
        EXPECT_LT(averages.off(1, second), 4.0) << correlation;
    }
}

TEST(RectifiedChain, WithoutBoundsHasTheMeanAndCovarianceOfTheClosedForm) {
    constexpr Index kAmounts = 6, kData = 5;
    inversion::Draws draws(5);
    const MatrixXd a = MatrixXd::NullaryExpr(kData, kAmounts, [&] { return draws.normal(); });
    const VectorXd d = VectorXd::NullaryExpr(kData, [&] { return 2.0 * draws.normal(); });
    MatrixXd covariance(kAmounts, kAmounts);
    for (Index i = 0; i < kAmounts; ++i) {
        for (Index j = 0; j < kAmounts; ++j) {
            covariance(i, j) = std::exp(-0.4 * std::abs(static_cast<double>(i - j)));
        }
    }
    RectifiedProblem problem;
    problem.sets = {data_of(a, d)};
    problem.fields = {{0, kAmounts, {covariance}, 0.8, 0.8}};
    problem.lower = VectorXd::Constant(kAmounts, -kInfinity);
    problem.upper = VectorXd::Constant(kAmounts, kInfinity);
    problem.known_errors = true;
    const PreparedFields fields(problem);
    RectifiedChain chain(problem, fields, 1, RectifiedChain::Start::Rest);
    constexpr int kDraws = 20000;
    VectorXd sum = VectorXd::Zero(kAmounts);
    MatrixXd products = MatrixXd::Zero(kAmounts, kAmounts);
    for (int k = 0; k < kDraws; ++k) {
        chain.step();
        sum += chain.amounts();
        products += chain.amounts() * chain.amounts().transpose();
    }

    const MatrixXd closed = (covariance.inverse() / 0.64 + problem.sets[0].h).inverse();
    const VectorXd mean = closed * problem.sets[0].g;
    const VectorXd found = sum / kDraws;
    const MatrixXd spread = products / kDraws - found * found.transpose();
    for (Index i = 0; i < kAmounts; ++i) {
        EXPECT_NEAR(found[i], mean[i], 0.03 * std::sqrt(closed(i, i))) << i;
        for (Index j = 0; j < kAmounts; ++j) {
            EXPECT_NEAR(spread(i, j), closed(i, j), 0.03 * std::sqrt(closed(i, i) * closed(j, j)));
        }
    }
}

/// Twelve amounts in a row of which four slip, two sets, the second with standard deviations that
/// are `off` times too small; three correlations.
RectifiedProblem row_of_patches(double off, std::uint64_t seed, Index data = 60) {
    constexpr Index kAmounts = 12;
    inversion::Draws draws(seed);
    VectorXd truth = VectorXd::Zero(kAmounts);
    truth.segment(4, 4) << 1.0, 2.0, 2.0, 1.0;
    RectifiedProblem problem;
    for (const double factor : {1.0, off}) {
        const MatrixXd a = MatrixXd::NullaryExpr(data, kAmounts, [&] { return draws.normal(); });
        VectorXd d = a * truth;
        for (double& value : d) {
            value += factor * draws.normal();
        }
        problem.sets.push_back(data_of(a, d));
    }
    FieldPrior field{0, kAmounts, {}, 0.01, 8.0};
    for (const double length : {0.5, 1.5, 4.0}) {
        MatrixXd covariance = MatrixXd::Ones(kAmounts, kAmounts);
        for (Index i = 0; i < kAmounts; ++i) {
            for (Index j = 0; j < kAmounts; ++j) {
                covariance(i, j) += std::exp(-std::abs(static_cast<double>(i - j)) / length);
            }
        }
        field.covariance.push_back(covariance);
    }
    problem.fields = {field};
    problem.lower = VectorXd::Zero(kAmounts);
    problem.upper = VectorXd::Constant(kAmounts, kInfinity);
    return problem;
}

TEST(RectifiedChain, FindsTheFactorOnASetsErrorsAndWhichPatchesSlip) {
    const RectifiedProblem problem = row_of_patches(10.0, 4);
    const PreparedFields fields(problem);
    RectifiedChain chain(problem, fields, 2, RectifiedChain::Start::Rest);
    double log_first = 0.0, log_second = 0.0, at_rest = 0.0, slipping = 0.0;
    for (int k = 0; k < 100; ++k) {
        chain.step(k < 50 ? RectifiedChain::Phase::Settling : RectifiedChain::Phase::Sampling);
    }
    constexpr int kDraws = 1500;
    for (int k = 0; k < kDraws; ++k) {
        chain.step();
        log_first += 0.5 * std::log(chain.variance(0)) / kDraws;
        log_second += 0.5 * std::log(chain.variance(1)) / kDraws;
        at_rest += chain.amounts()[0] / kDraws;
        slipping += chain.amounts()[5] / kDraws;
    }

    EXPECT_NEAR(std::exp(log_first), 1.0, 0.25);
    EXPECT_NEAR(std::exp(log_second), 10.0, 2.0);
    EXPECT_LT(at_rest, 0.2);
    EXPECT_NEAR(slipping, 2.0, 0.5);
}

/// Errors that two sets have in common, beside factors on each: without bounds, and with a field of
/// known size, slip and factors are those of a grid on which all else is integrated out.
TEST(RectifiedChain, SharedErrorsAreThoseOfTheSumOfCovariances) {
    constexpr Index kAmounts = 3, kErrors = 2, kData = 6;
    inversion::Draws draws(6);
    const auto normal = [&](Index rows, Index columns) {
        return MatrixXd::NullaryExpr(rows, columns, [&] { return draws.normal(); }).eval();
    };
    const MatrixXd a = normal(2 * kData, kAmounts), u = 2.0 * normal(2 * kData, kErrors);
    const VectorXd d = a * normal(kAmounts, 1) + u * normal(kErrors, 1) + normal(2 * kData, 1);
    MatrixXd both(2 * kData, kAmounts + kErrors);
    both << a, u;
    RectifiedProblem problem;
    problem.sets = {data_of(both.topRows(kData), d.head(kData)),
                    data_of(both.bottomRows(kData), d.tail(kData))};
    problem.n_shared = kErrors;
    problem.fields = {{0, kAmounts, {MatrixXd::Identity(kAmounts, kAmounts)}, 0.8, 0.8}};
    problem.lower = VectorXd::Constant(kAmounts, -kInfinity);
    problem.upper = VectorXd::Constant(kAmounts, kInfinity);
    const PreparedFields fields(problem);
    RectifiedChain chain(problem, fields, 12, RectifiedChain::Start::Prior);
    Averages averages;
    for (int k = 0; k < 20000; ++k) {
        chain.step();
        averages.add(0, chain.amounts()[0]);
        averages.add(1, std::log(chain.variance(0)));
        averages.add(2, std::log(chain.variance(1)));
    }

    const MatrixXd known = u * u.transpose() + 0.64 * a * a.transpose();
    double total = 0.0, slip = 0.0;
    std::array<double, 2> log_variance{};
    for (double first = -6.0; first < 6.0; first += 0.1) {
        for (double second = -6.0; second < 6.0; second += 0.1) {
            MatrixXd covariance = known;
            covariance.diagonal().head(kData).array() += std::exp(first);
            covariance.diagonal().tail(kData).array() += std::exp(second);
            const Eigen::LLT<MatrixXd> factor(covariance);
            const VectorXd solved = factor.solve(d);
            // InvGamma(1, 1) in the logarithm.
            const double log_density = -first - std::exp(-first) - second - std::exp(-second) -
                                       factor.matrixLLT().diagonal().array().log().sum() -
                                       0.5 * d.dot(solved);
            const double weight = std::exp(log_density);
            total += weight;
            slip += weight * 0.64 * a.col(0).dot(solved);
            log_variance[0] += weight * first;
            log_variance[1] += weight * second;
        }
    }
    EXPECT_LT(averages.off(0, slip / total), 4.0);
    EXPECT_LT(averages.off(1, log_variance[0] / total), 4.0);
    EXPECT_LT(averages.off(2, log_variance[1] / total), 4.0);
}

TEST(RectifiedChain, GoesOnBitForBitFromItsState) {
    const RectifiedProblem problem = row_of_patches(2.0, 9);
    const PreparedFields fields(problem);
    RectifiedChain whole(problem, fields, 5, RectifiedChain::Start::Prior);
    for (int k = 0; k < 20; ++k) {
        whole.step();
    }
    RectifiedChain other(problem, fields, 99, RectifiedChain::Start::Rest);
    other.restore(whole.state());
    for (int k = 0; k < 20; ++k) {
        whole.step();
        other.step();
    }

    EXPECT_EQ(whole.state(), other.state());
    EXPECT_TRUE((whole.amounts().array() == other.amounts().array()).all());
    EXPECT_THROW(other.restore("1.0 2.0"), Error);
}

/// Ranks of hyperparameters drawn from the prior, with data drawn from them: uniform where the
/// sampler is right (Cook, Gelman and Rubin 2006; Talts et al. 2018).
TEST(RectifiedChain, RanksOfTruthsFromThePriorAreUniform) {
    constexpr int kTruths = 50, kBins = 5, kKept = 19;
    constexpr Index kAmounts = 12;
    const RectifiedProblem form = row_of_patches(1.0, 1, 8);
    std::vector<std::array<int, kBins>> bins(4);
    RandomStream random(11);
    for (int truth = 0; truth < kTruths; ++truth) {
        RectifiedProblem problem = form;
        FieldPrior& field = problem.fields[0];
        field.least_sigma = 0.1;
        const double sigma = 0.1 * std::pow(field.most_sigma / 0.1, random.uniform());
        const auto h = static_cast<std::size_t>(3.0 * random.uniform());
        VectorXd z(kAmounts);
        for (double& value : z) {
            value = sigma * random.normal();
        }
        z = Eigen::LLT<MatrixXd>(field.covariance[h]).matrixL() * z;
        const VectorXd m = z.cwiseMax(0.0);
        std::vector<double> variance;
        for (DataSet& set : problem.sets) {
            variance.push_back(1.0 / random.gamma(1.0));
            MatrixXd a(8, kAmounts);
            for (double& value : a.reshaped()) {
                value = random.normal();
            }
            VectorXd d = a * m;
            for (double& value : d) {
                value += std::sqrt(variance.back()) * random.normal();
            }
            set = data_of(a, d);
        }
        const PreparedFields fields(problem);
        RectifiedChain chain(problem, fields, 100 + static_cast<std::uint64_t>(truth),
                             RectifiedChain::Start::Rest);
        // Numbers, each with a random share of a tie.
        const auto numbers = [&](const VectorXd& amounts, double of_lambda, double of_set,
                                 std::size_t choice) {
            const auto tie = [&](double value) { return value + 1e-9 * random.uniform(); };
            return std::array{tie(amounts.sum()), tie(of_lambda), tie(of_set),
                              tie(static_cast<double>(choice))};
        };
        const auto wanted = numbers(m, std::log(sigma), std::log(variance[0]), h);
        std::array<int, 4> rank{};
        for (int k = 0; k < 100; ++k) {
            chain.step();
        }
        for (int kept = 0; kept < kKept; ++kept) {
            for (int thin = 0; thin < 10; ++thin) {
                chain.step();
            }
            const auto drawn = numbers(chain.amounts(), -0.5 * std::log(chain.lambda(0)),
                                       std::log(chain.variance(0)), chain.choice(0));
            for (std::size_t k = 0; k < 4; ++k) {
                rank[k] += drawn[k] < wanted[k] ? 1 : 0;
            }
        }
        for (std::size_t k = 0; k < 4; ++k) {
            ++bins[k][static_cast<std::size_t>(rank[k] * kBins / (kKept + 1))];
        }
    }
    for (std::size_t k = 0; k < 4; ++k) {
        double chi2 = 0.0;
        for (const int count : bins[k]) {
            chi2 += std::pow(count - kTruths / kBins, 2) / (kTruths / kBins);
        }
        EXPECT_LT(chi2, 18.5) << k;  // p = 0.001 of four degrees of freedom
    }
}

TEST(RectifiedProblem, FlatUnknownsOfTheMeasuringLeaveTheirPartOfTheData) {
    inversion::Draws draws(8);
    const inversion::Rows rows =
        inversion::Rows::NullaryExpr(20, 5, [&] { return draws.normal(); });
    const VectorXd d = VectorXd::NullaryExpr(20, [&] { return draws.normal(); });
    inversion::NormalEquations equations(5);
    equations.add(rows, d);

    const DataSet set = marginalised(equations, 3);

    const MatrixXd n = rows.rightCols(2);
    const MatrixXd w =
        MatrixXd::Identity(20, 20) - n * (n.transpose() * n).inverse() * n.transpose();
    EXPECT_LT((set.h - rows.leftCols(3).transpose() * w * rows.leftCols(3)).norm(), 1e-10);
    EXPECT_LT((set.g - rows.leftCols(3).transpose() * w * d).norm(), 1e-10);
    EXPECT_NEAR(set.c, d.dot(w * d), 1e-10);
    EXPECT_EQ(set.freedom, 18.0);

    // The last unknown is one that other sets have, too: it stays.
    const DataSet shared = marginalised(equations, 3, 1);
    const std::vector<Index> kept = {0, 1, 2, 4};
    const MatrixXd a = rows(Eigen::all, kept), b = rows.col(3);
    const MatrixXd without = MatrixXd::Identity(20, 20) - b * b.transpose() / b.squaredNorm();
    EXPECT_LT((shared.h - a.transpose() * without * a).norm(), 1e-10);
    EXPECT_LT((shared.g - a.transpose() * without * d).norm(), 1e-10);
    EXPECT_EQ(shared.freedom, 19.0);
}

TEST(RectifiedProblem, RefusesWhatDoesNotFit) {
    RectifiedProblem problem = two_amounts(0.5);
    problem.fields[0].covariance[0] = MatrixXd::Ones(2, 2);
    EXPECT_THROW(PreparedFields{problem}, Error);
    problem = two_amounts(0.5);
    problem.upper = problem.lower;
    EXPECT_THROW(PreparedFields{problem}, Error);
}

}  // namespace
}  // namespace kaname::posterior::rectified_chain_test
