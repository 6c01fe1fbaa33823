// SPDX-License-Identifier: BSD-3-Clause
// The posterior of slip is right: ranks of truths that are drawn from its prior are uniform, and
// its intervals hold truths of five kinds that are not.
#include <array>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "solvers/base/units.hpp"
#include "solvers/posterior/rectified_field.hpp"
#include "solvers/posterior/sampling.hpp"
#include "tests/support/okada.hpp"

namespace kaname::posterior::posterior_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
constexpr double kSize_m = 10e3;

/// A thrust of columns x rows patches of 10 km that dips by 15 degrees from 5 km depth, strike
/// north, and stations over it.
struct Thrust {
    int columns, rows;
    std::vector<Vec3> centres;
    MatrixXd greens;  ///< [station component][patch]

    Thrust(int n_columns, int n_rows, int stations, RandomStream& random)
        : columns(n_columns), rows(n_rows), greens(3 * stations, n_columns * n_rows) {
        constexpr double kDip = 15.0 * kDegree, kTop_m = 5e3;
        const double length = kSize_m * columns, width = kSize_m * rows * std::cos(kDip);
        std::vector<Vec3> places;
        for (int s = 0; s < stations; ++s) {
            places.push_back(
                {width * (0.2 + 1.1 * random.uniform()), length * (random.uniform() - 0.5), 0.0});
        }
        for (int row = 0; row < rows; ++row) {
            for (int column = 0; column < columns; ++column) {
                const double down = kSize_m * row, along = kSize_m * (column + 0.5) - 0.5 * length;
                const test::OkadaFault patch{
                    {down * std::cos(kDip), along, -kTop_m - down * std::sin(kDip)},
                    0.0,
                    kDip,
                    kSize_m,
                    kSize_m};
                const double middle = down + 0.5 * kSize_m;
                centres.push_back(
                    {middle * std::cos(kDip), along, -kTop_m - middle * std::sin(kDip)});
                for (int s = 0; s < stations; ++s) {
                    const Vec3 u = test::okada_displacement(patch, {0.0, 1.0, 0.0}, {},
                                                            places[static_cast<std::size_t>(s)]);
                    for (int k = 0; k < 3; ++k) {
                        greens(3 * s + k, row * columns + column) = u[k];
                    }
                }
            }
        }
    }
    /// Slip is not negative; data d with standard deviations sigma.
    [[nodiscard]] RectifiedProblem problem(const VectorXd& d, double sigma_m) const {
        return problem({set_of(greens, d, sigma_m)});
    }
    [[nodiscard]] static DataSet set_of(const MatrixXd& rows, const VectorXd& d, double sigma_m) {
        const MatrixXd white = rows / sigma_m;
        const VectorXd values = d / sigma_m;
        return {white.transpose() * white, white.transpose() * values, values.squaredNorm(),
                static_cast<double>(values.size())};
    }
    [[nodiscard]] RectifiedProblem problem(std::vector<DataSet> sets) const {
        const Index n = greens.cols();
        RectifiedProblem result;
        result.sets = std::move(sets);
        FieldPrior field{0, n, {}, 0.01, 8.0};
        const Vec3 strike{0.0, 1.0, 0.0};
        for (const Correlation& choice : correlation_choices(centres, strike)) {
            field.covariance.push_back(matern(centres, strike, choice) + MatrixXd::Ones(n, n));
        }
        result.fields = {std::move(field)};
        result.lower = VectorXd::Zero(n);
        result.upper = VectorXd::Constant(n, kInfinity);
        return result;
    }
};

VectorXd drawn_field(const MatrixXd& covariance, RandomStream& random) {
    VectorXd z(covariance.rows());
    for (double& value : z) {
        value = random.normal();
    }
    return Eigen::LLT<MatrixXd>(covariance).matrixL() * z;
}

TEST(SlipPosterior, RanksOfTruthsFromThePriorAreUniform) {
    constexpr int kTruths = 200, kIterations = 12000, kKept = 99, kBins = 10;
    constexpr double kSigma_m = 0.01;
    RandomStream random(20);
    const Thrust thrust(9, 5, 8, random);
    const RectifiedProblem form = thrust.problem(VectorXd::Zero(thrust.greens.rows()), kSigma_m);
    const PreparedFields fields(form);
    const char* const names[] = {"slip", "moment", "s2", "lambda", "h"};
    std::vector<std::array<int, kBins>> bins(5);
    for (int truth = 0; truth < kTruths; ++truth) {
        const double sigma = 0.01 * std::pow(800.0, random.uniform());
        const auto h = static_cast<std::size_t>(12.0 * random.uniform());
        const VectorXd m = sigma * drawn_field(form.fields[0].covariance[h], random).cwiseMax(0.0);
        const double variance = 1.0 / random.gamma(1.0);
        VectorXd d = thrust.greens * m;
        for (double& value : d) {
            value += kSigma_m * std::sqrt(variance) * random.normal();
        }
        const RectifiedProblem problem = thrust.problem(d, kSigma_m);
        RectifiedChain chain(
            problem, fields, 1000 + static_cast<std::uint64_t>(truth),
            truth % 2 == 0 ? RectifiedChain::Start::Rest : RectifiedChain::Start::Prior);
        const auto patch = static_cast<Index>(45.0 * random.uniform());
        // A random share decides between equal numbers, such as amounts at rest.
        const auto numbers = [&](const VectorXd& amounts, double s2, double lambda,
                                 std::size_t choice) {
            std::array found = {amounts[patch], amounts.sum(), s2, lambda,
                                static_cast<double>(choice)};
            for (double& value : found) {
                value += 1e-9 * std::max(1e-3, std::abs(value)) * random.uniform();
            }
            return found;
        };
        const auto wanted = numbers(m, std::log(variance), -2.0 * std::log(sigma), h);
        std::array<int, 5> rank{};
        for (int k = 0; k < kIterations; ++k) {
            chain.step(k < 100 ? posterior::RectifiedChain::Phase::Settling
                               : posterior::RectifiedChain::Phase::Sampling);
            if (k < kIterations / 6 || (k + 1) % (kIterations * 5 / 6 / kKept) != 0) {
                continue;
            }
            const auto drawn = numbers(chain.amounts(), std::log(chain.variance(0)),
                                       std::log(chain.lambda(0)), chain.choice(0));
            for (std::size_t q = 0; q < rank.size(); ++q) {
                rank[q] += drawn[q] < wanted[q] ? 1 : 0;
            }
        }
        for (std::size_t q = 0; q < rank.size(); ++q) {
            ++bins[q][static_cast<std::size_t>(std::min(kBins - 1, rank[q] * kBins / (kKept + 1)))];
        }
    }
    for (std::size_t q = 0; q < bins.size(); ++q) {
        double chi2 = 0.0;
        for (const int count : bins[q]) {
            chi2 += std::pow(count - kTruths / kBins, 2) / (kTruths / kBins);
        }
        std::printf("ranks of %s: chi2 %.1f of 9\n", names[q], chi2);
        EXPECT_LT(chi2, 27.88) << names[q];  // p = 0.001
    }
}

enum class Truth { Compact, TwoPatches, Block, Broad, RandomField };

/// Slip that falls off from a place as cos^2, both in parts of the fault.
double bump(double x, double y, double at_x, double at_y, double half_x, double half_y) {
    const double q = std::hypot((x - at_x) / half_x, (y - at_y) / half_y);
    return q < 1.0 ? std::pow(std::cos(0.5 * std::numbers::pi * q), 2) : 0.0;
}

VectorXd slip_of(Truth kind, const Thrust& thrust, RandomStream& random) {
    const auto between = [&](double low, double high) {
        return low + (high - low) * random.uniform();
    };
    const double at_x = between(0.25, 0.75), at_y = between(0.3, 0.7), size = between(1.5, 4.0);
    const double other_x = at_x < 0.5 ? at_x + 0.45 : at_x - 0.45, other_y = between(0.3, 0.7);
    VectorXd m(thrust.greens.cols());
    for (Index p = 0; p < m.size(); ++p) {
        const double x = (static_cast<double>(p % thrust.columns) + 0.5) / thrust.columns;
        const double y = (static_cast<double>(p / thrust.columns) + 0.5) / thrust.rows;
        switch (kind) {
            case Truth::Compact:
                m[p] = size * bump(x, y, at_x, at_y, 0.2, 0.35);
                break;
            case Truth::TwoPatches:
                m[p] = size * bump(x, y, at_x, at_y, 0.2, 0.35) +
                       0.6 * size * bump(x, y, other_x, other_y, 0.2, 0.35);
                break;
            case Truth::Block:
                m[p] = std::abs(x - at_x) < 0.2 && std::abs(y - at_y) < 0.25 ? 0.7 * size : 0.0;
                break;
            case Truth::Broad:
                m[p] = 0.7 * size * bump(x, y, 0.5, 0.5, 0.7, 0.8);
                break;
            case Truth::RandomField:
                break;
        }
    }
    if (kind == Truth::RandomField) {
        const MatrixXd k = matern(thrust.centres, {0.0, 1.0, 0.0}, {1.5, 30e3});
        do {
            m = (drawn_field(k, random).array() - 0.5).cwiseMax(0.0);
        } while (m.maxCoeff() < 0.5);
        m *= size / m.maxCoeff();
    }
    return m;
}

/// Shares that lie in 95 % intervals.
struct Coverage {
    double held = 0.0, all = 0.0;

    void add(double truth, const std::vector<double>& interval) {
        held += interval[0] <= truth && truth <= interval[2] ? 1.0 : 0.0;
        all += 1.0;
    }
    [[nodiscard]] double share() const { return held / all; }
};

/// `widest`: of the median of the moment's interval over the moment.
void expect_coverage(int stations, double sigma_m, double widest) {
    constexpr int kTruths = 24;
    RandomStream random(7 + static_cast<std::uint64_t>(stations));
    std::vector<double> widths;
    Coverage moments, quarters, at_rest, slipping;
    for (const Truth kind :
         {Truth::Compact, Truth::TwoPatches, Truth::Block, Truth::Broad, Truth::RandomField}) {
        Coverage of_kind;
        for (int k = 0; k < kTruths; ++k) {
            const Thrust thrust(14, 6, stations, random);
            const VectorXd truth = slip_of(kind, thrust, random);
            VectorXd d = thrust.greens * truth;
            for (double& value : d) {
                value += sigma_m * random.normal();
            }
            const RectifiedProblem problem = thrust.problem(d, sigma_m);
            Sampling sampling(problem, {.iterations = 2400, .seed = static_cast<std::uint64_t>(k)});
            sampling.run({});
            const auto interval = [&](const auto& number) {
                std::vector<double> values;
                for (const ChainDraws& chain : sampling.draws()) {
                    for (std::size_t draw = 0; draw < chain.draws; ++draw) {
                        values.push_back(number(chain.amounts_of(draw, 84)));
                    }
                }
                return quantiles(values, std::array{0.025, 0.5, 0.975});
            };
            for (std::size_t p = 0; p < 84; ++p) {
                const double slip = truth[static_cast<Index>(p)];
                const auto found = interval([&](auto m) { return static_cast<double>(m[p]); });
                if (slip > 0.5) {
                    of_kind.add(slip, found);
                    slipping.add(slip, found);
                } else if (slip == 0.0) {
                    at_rest.add(slip, found);
                }
            }
            const auto sum_of = [&](int quarter) {
                return [quarter](const auto& m) {
                    double sum = 0.0;
                    for (std::size_t p = 0; p < 84; ++p) {
                        const int of_patch = (p % 14 < 7 ? 0 : 1) + (p / 14 < 3 ? 0 : 2);
                        if (quarter < 0 || of_patch == quarter) {
                            sum += static_cast<double>(m[p]);
                        }
                    }
                    return sum;
                };
            };
            const std::span<const double> slip(truth.data(), 84);
            const auto moment = interval(sum_of(-1));
            moments.add(sum_of(-1)(slip), moment);
            widths.push_back((moment[2] - moment[0]) / sum_of(-1)(slip));
            for (int quarter = 0; quarter < 4; ++quarter) {
                quarters.add(sum_of(quarter)(slip), interval(sum_of(quarter)));
            }
        }
        EXPECT_GE(of_kind.share(), 0.88) << static_cast<int>(kind);
        std::printf("kind %d: %.3f of slipping patches\n", static_cast<int>(kind), of_kind.share());
    }
    const double width = quantiles(widths, std::array{0.5})[0];
    std::printf(
        "%d stations of %g m: patches %.3f, moments %.3f, quarters %.3f, at rest %.3f; moment's "
        "interval %.3f\n",
        stations, sigma_m, slipping.share(), moments.share(), quarters.share(), at_rest.share(),
        width);
    EXPECT_GE(slipping.share(), 0.92);
    EXPECT_GE(moments.share(), 0.88);
    EXPECT_GE(quarters.share(), 0.93);
    EXPECT_GE(at_rest.share(), 0.98);
    EXPECT_LT(width, widest);
}

TEST(SlipPosterior, IntervalsHoldFiveKindsOfTruthOfFewStations) {
    expect_coverage(8, 0.002, 0.18);
}

TEST(SlipPosterior, IntervalsHoldFiveKindsOfTruthOfManyStations) {
    expect_coverage(40, 0.005, 0.09);
}

TEST(SlipPosterior, FindsTheRatioOfTwoSetsErrors) {
    // Twelve stations of 5 mm, and 36 points of a line of sight whose errors are ten times as large
    // as they say.
    constexpr int kCases = 36, kStations = 12, kPoints = 36;
    constexpr double kSigma_m = 0.005, kRatio = 10.0;
    RandomStream random(36);
    std::vector<double> ratios;
    double held = 0.0;
    for (int k = 0; k < kCases; ++k) {
        const Thrust thrust(14, 6, kStations + kPoints, random);
        const VectorXd truth = slip_of(static_cast<Truth>(k % 5), thrust, random);
        const MatrixXd gnss = thrust.greens.topRows(3 * kStations);
        MatrixXd look(kPoints, truth.size());
        for (Index point = 0; point < kPoints; ++point) {
            look.row(point) = Eigen::RowVector3d(0.6, -0.1, std::sqrt(1.0 - 0.37)) *
                              thrust.greens.middleRows(3 * (kStations + point), 3);
        }
        const auto noisy = [&](VectorXd d, double sigma_m) {
            for (double& value : d) {
                value += sigma_m * random.normal();
            }
            return d;
        };
        const RectifiedProblem problem = thrust.problem(
            {Thrust::set_of(gnss, noisy(gnss * truth, kSigma_m), kSigma_m),
             Thrust::set_of(look, noisy(look * truth, kRatio * kSigma_m), kSigma_m)});
        Sampling sampling(problem, {.iterations = 2400, .seed = static_cast<std::uint64_t>(k)});
        sampling.run({});
        std::vector<double> of_case;
        for (const ChainDraws& chain : sampling.draws()) {
            for (std::size_t draw = 0; draw < chain.draws; ++draw) {
                of_case.push_back(std::sqrt(chain.variance[1][draw] / chain.variance[0][draw]));
            }
        }
        const auto interval = quantiles(of_case, std::array{0.025, 0.5, 0.975});
        held += interval[0] < kRatio && kRatio < interval[2] ? 1.0 : 0.0;
        ratios.push_back(interval[1]);
    }
    const auto spread = quantiles(ratios, std::array{0.1, 0.5, 0.9});
    std::printf("ratio of errors %.1f (%.1f to %.1f), in %.0f %% of 95 %% intervals\n", spread[1],
                spread[0], spread[2], 100.0 * held / kCases);
    EXPECT_NEAR(spread[1], kRatio, 0.15 * kRatio);
}

}  // namespace
}  // namespace kaname::posterior::posterior_test
