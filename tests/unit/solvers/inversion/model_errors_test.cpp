// SPDX-License-Identifier: BSD-3-Clause
// Errors that all data have in common: integrated out they are what the sum of covariances says,
// and with those of an ensemble of structures the intervals of moments hold moments again.
#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/base/units.hpp"
#include "solvers/inversion/weights.hpp"
#include "tests/support/okada.hpp"

namespace kaname::inversion::model_errors_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

NormalEquations equations_of(const MatrixXd& rows, const VectorXd& values) {
    NormalEquations equations(rows.cols());
    equations.add(rows, values);
    return equations;
}

/// Rows and values made white for the covariance 1 + U U'.
NormalEquations whitened(const MatrixXd& rows, const MatrixXd& u, const VectorXd& values) {
    const Eigen::LLT<MatrixXd> factor(MatrixXd::Identity(rows.rows(), rows.rows()) +
                                      u * u.transpose());
    return equations_of(factor.matrixL().solve(rows), factor.matrixL().solve(values));
}

void expect_same(const NormalEquations& found, const NormalEquations& wanted) {
    EXPECT_LT((found.symmetric() - wanted.symmetric()).norm(), 1e-9 * wanted.h.norm());
    EXPECT_LT((found.g - wanted.g).norm(), 1e-9 * wanted.g.norm());
    EXPECT_NEAR(found.c, wanted.c, 1e-9 * wanted.c);
    EXPECT_EQ(found.n_data, wanted.n_data);
}

TEST(SharedErrors, IntegratedOutAreTheSumOfCovariances) {
    constexpr Index kData = 30, kAmounts = 4, kErrors = 3;
    Draws draws(3);
    const auto normal = [&](Index rows, Index columns) {
        return MatrixXd::NullaryExpr(rows, columns, [&] { return draws.normal(); }).eval();
    };
    const MatrixXd a = normal(kData, kAmounts), u = 3.0 * normal(kData, kErrors);
    const VectorXd d = normal(kData, 1);
    MatrixXd both(kData, kAmounts + kErrors);
    both << a, u;
    FoldedEquations folded;
    folded.all = equations_of(both, d);
    std::array<std::vector<Index>, 2> of_fold;
    for (Index i = 0; i < kData; ++i) {
        of_fold[i % 3 == 0 ? 0 : 1].push_back(i);
    }
    for (const std::vector<Index>& rows : of_fold) {
        folded.test.push_back(equations_of(both(rows, Eigen::all), d(rows)));
    }

    const FoldedEquations found = integrated_out(folded, kErrors);

    expect_same(found.all, whitened(a, u, d));
    for (std::size_t fold = 0; fold < 2; ++fold) {
        const std::vector<Index>&own = of_fold[fold], &rest = of_fold[1 - fold];
        expect_same(found.test[fold], whitened(a(own, Eigen::all), u(own, Eigen::all), d(own)));
        expect_same(found.training(fold),
                    whitened(a(rest, Eigen::all), u(rest, Eigen::all), d(rest)));
    }
    // With the errors at their most likely values the misfit is that of the sum of covariances.
    const VectorXd x = normal(kAmounts, 1);
    VectorXd all(kAmounts + kErrors);
    all << x, most_likely_rest(folded.all, x);
    EXPECT_NEAR(folded.all.misfit(all) + all.tail(kErrors).squaredNorm(), found.all.misfit(x),
                1e-9 * found.all.c);
}

/// A thrust of 8 x 6 patches of 10 km by its dip and depth, and twenty stations over it.
struct Structure {
    static constexpr int kColumns = 8, kRows = 6, kStations = 20;

    /// [station component][patch] metres per metre of reverse slip.
    static MatrixXd greens(double dip, double top_m, double stretch) {
        constexpr double kSize_m = 10e3;
        MatrixXd made(3 * kStations, kColumns * kRows);
        for (int s = 0; s < kStations; ++s) {
            const Vec3 place{-10e3 + 25e3 * (s % 4), -40e3 + 20e3 * (s / 4), 0.0};
            for (int p = 0; p < kColumns * kRows; ++p) {
                const double down = kSize_m * (p / kColumns);
                const test::OkadaFault patch{
                    {stretch * down * std::cos(dip), kSize_m * (p % kColumns - 3.5),
                     -top_m - stretch * down * std::sin(dip)},
                    0.0,
                    dip,
                    kSize_m,
                    stretch * kSize_m};
                const Vec3 u = test::okada_displacement(patch, {0.0, 1.0, 0.0}, {}, place);
                for (int k = 0; k < 3; ++k) {
                    made(3 * s + k, p) = u[k];
                }
            }
        }
        return made;
    }
};

/// Slip from data d of standard deviation sigma, with errors of columns u, and its moment.
struct Estimated {
    VectorXd m;
    double moment = 0.0, deviation = 0.0;

    Estimated(const MatrixXd& g, const MatrixXd& u, const VectorXd& d, double sigma,
              const MatrixXd& precision) {
        MatrixXd both(g.rows(), g.cols() + u.cols());
        both << g, u;
        const NormalEquations equations =
            integrated_out(equations_of(both / sigma, d / sigma), u.cols());
        const Eigen::LLT<MatrixXd> factor(equations.symmetric() + precision);
        m = factor.solve(equations.g);
        const VectorXd ones = VectorXd::Ones(m.size());
        moment = m.sum();
        deviation = std::sqrt(ones.dot(factor.solve(ones)));
    }
};

/// 50 structures; data are those of one of them, which is not among those that the errors are from.
/// Slip is drawn from the prior, so that without errors of the structure intervals would hold it.
TEST(SharedErrors, OfAnEnsembleBringTheCoverageOfMomentsBack) {
    constexpr int kModels = 50, kTruths = 100, kRounds = 2;
    constexpr double kSigma_m = 0.005;
    constexpr Index kPatches = Structure::kColumns * Structure::kRows;
    Draws draws(11);
    std::vector<MatrixXd> models;
    for (int j = 0; j < kModels; ++j) {
        models.push_back(Structure::greens((15.0 + 1.5 * draws.normal()) * kDegree,
                                           5e3 * std::exp(0.1 * draws.normal()),
                                           std::exp(0.05 * draws.normal())));
    }
    const MatrixXd reference = Structure::greens(15.0 * kDegree, 5e3, 1.0);
    MatrixXd prior = 4.0 * MatrixXd::Ones(kPatches, kPatches);  // the level is not known
    for (Index p = 0; p < kPatches; ++p) {
        for (Index q = 0; q < kPatches; ++q) {
            const double apart = std::hypot(p % Structure::kColumns - q % Structure::kColumns,
                                            p / Structure::kColumns - q / Structure::kColumns);
            prior(p, q) += 0.25 * std::exp(-apart / 8.0);
        }
    }
    const Eigen::LLT<MatrixXd> factor(prior);
    const MatrixXd precision = factor.solve(MatrixXd::Identity(kPatches, kPatches));
    const auto normal = [&](Index n) {
        return VectorXd::NullaryExpr(n, [&] { return draws.normal(); }).eval();
    };
    double exact95 = 0.0, held68 = 0.0, held95 = 0.0;
    for (int truth = 0; truth < kTruths; ++truth) {
        const VectorXd m = factor.matrixL() * normal(kPatches);
        const auto own = static_cast<std::size_t>(truth % kModels);
        const VectorXd d = models[own] * m + kSigma_m * normal(reference.rows());
        Estimated found(reference, MatrixXd(d.size(), 0), d, kSigma_m, precision);
        const auto off = [&] { return std::abs(found.moment - m.sum()) / found.deviation; };
        exact95 += off() < 1.96 ? 1.0 / kTruths : 0.0;
        for (int round = 0; round < kRounds; ++round) {
            MatrixXd motion(d.size(), kModels - 1);
            Index column = 0;
            for (std::size_t j = 0; j < models.size(); ++j) {
                if (j != own) {
                    motion.col(column++) = models[j] * found.m;
                }
            }
            const MatrixXd u = (motion.colwise() - motion.rowwise().mean().eval()) /
                               std::sqrt(static_cast<double>(column - 1));
            found = Estimated(reference, u, d, kSigma_m, precision);
        }
        held68 += off() < 1.0 ? 1.0 / kTruths : 0.0;
        held95 += off() < 1.96 ? 1.0 / kTruths : 0.0;
    }
    RecordProperty("coverage", std::to_string(exact95) + " " + std::to_string(held95));
    EXPECT_LT(exact95, 0.6);
    EXPECT_GE(held95, 0.9);
    EXPECT_GE(held68, 0.58);
    EXPECT_LE(held68, 0.82);
}

}  // namespace
}  // namespace kaname::inversion::model_errors_test
