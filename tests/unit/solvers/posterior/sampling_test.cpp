// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/posterior/sampling.hpp"

#include <array>
#include <cmath>
#include <filesystem>
#include <limits>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/posterior/rectified_field.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kaname::posterior::sampling_test {
namespace {

namespace fs = std::filesystem;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Patches in two rows, 10 km apart, and a datum over each.
RectifiedProblem plane() {
    std::vector<Vec3> centres;
    for (int k = 0; k < 10; ++k) {
        centres.push_back({10e3 * (k % 5), 8e3 * (k / 5), -5e3 * (k / 5)});
    }
    RectifiedProblem problem;
    Eigen::MatrixXd a(10, 10);
    for (Eigen::Index i = 0; i < 10; ++i) {
        for (Eigen::Index j = 0; j < 10; ++j) {
            a(i, j) = 20.0 * std::exp(-norm(centres[static_cast<std::size_t>(i)] -
                                            centres[static_cast<std::size_t>(j)]) /
                                      15e3);
        }
    }
    Eigen::VectorXd truth = Eigen::VectorXd::Zero(10);
    truth[2] = 1.0;
    const Eigen::VectorXd d = a * truth;
    problem.sets = {{a.transpose() * a, a.transpose() * d, d.squaredNorm(), 10.0}};
    FieldPrior field{0, 10, {}, 0.01, 8.0};
    for (const Correlation& choice : correlation_choices(centres, {1.0, 0.0, 0.0})) {
        field.covariance.push_back(matern(centres, {1.0, 0.0, 0.0}, choice) +
                                   Eigen::MatrixXd::Ones(10, 10));
    }
    problem.fields = {field};
    problem.lower = Eigen::VectorXd::Zero(10);
    problem.upper = Eigen::VectorXd::Constant(10, kInfinity);
    return problem;
}

TEST(Sampling, ResumedItGoesOnAsIfItHadNotStopped) {
    const RectifiedProblem problem = plane();
    const SamplingOptions options{.iterations = 200, .seed = 3, .batch = 20};
    const support::TemporaryFolder folder;
    const std::string path = folder.path("chains");
    Sampling whole(problem, options);
    whole.run({});
    Sampling stopped(problem, options);
    stopped.run([](const SamplingProgress& progress) { return progress.done < 100; });
    stopped.save(path);
    Sampling resumed(problem, options);
    resumed.resume(path);
    EXPECT_EQ(resumed.done(), 100);
    resumed.run({});

    ASSERT_TRUE(whole.finished() && resumed.finished());
    for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_EQ(whole.draws()[k].draws, 160u);
        EXPECT_EQ(whole.draws()[k].amounts, resumed.draws()[k].amounts);
        EXPECT_EQ(whole.draws()[k].lambda, resumed.draws()[k].lambda);
        EXPECT_EQ(whole.draws()[k].variance, resumed.draws()[k].variance);
    }
    EXPECT_NE(whole.draws()[0].amounts, whole.draws()[1].amounts);
    SamplingOptions other = options;
    other.seed = 4;
    EXPECT_THROW(Sampling(problem, other).resume(path), Error);
    fs::resize_file(path, fs::file_size(path) / 2);
    EXPECT_THROW(Sampling(problem, options).resume(path), Error);
}

TEST(Sampling, EndsEarlyWithTheSameDrawsWhereverItWasInterruptedAndWhateverItMightHaveDone) {
    const RectifiedProblem problem = plane();
    const SamplingOptions options{.iterations = 4000, .seed = 3, .batch = 20, .effective = 100};
    std::vector<int> looks;
    const auto third_look = [&](const SamplingProgress& now) {
        looks.push_back(now.done);
        // Draws that count are those after the first fifth of what is done by now.
        EXPECT_EQ(now.chains[0].draws - now.first, static_cast<std::size_t>(now.done * 4 / 5));
        return now.done >= 1580;
    };
    Sampling whole(problem, options);
    whole.run({}, third_look);
    EXPECT_EQ(looks, (std::vector<int>{1000, 1260, 1580}));
    ASSERT_TRUE(whole.finished());
    EXPECT_EQ(whole.done(), 1580);
    EXPECT_EQ(whole.discarded(), 316);

    const support::TemporaryFolder folder;
    SamplingOptions shorter = options;
    shorter.iterations = 1700;
    for (const int at : {900, 1260, 1300}) {  // before all looks, at one, and between two
        Sampling stopped(problem, options);
        stopped.run([&](const SamplingProgress& now) { return now.done < at; }, third_look);
        EXPECT_FALSE(stopped.finished());
        stopped.save(folder.path("chains"));
        Sampling resumed(problem, options);
        ASSERT_TRUE(resumed.take_up(folder.path("chains")));
        resumed.run({}, third_look);
        Sampling other(problem, shorter);
        other.run({}, third_look);
        for (std::size_t k = 0; k < 2; ++k) {
            EXPECT_EQ(whole.draws()[k].draws, 1264u);
            EXPECT_EQ(whole.draws()[k].lambda[0].size(), 1264u);
            EXPECT_EQ(whole.draws()[k].amounts, resumed.draws()[k].amounts) << at;
            EXPECT_EQ(whole.draws()[k].variance, resumed.draws()[k].variance) << at;
            EXPECT_EQ(whole.draws()[k].amounts, other.draws()[k].amounts);
        }
    }
    // All that may be done is done where it never suffices, and without the option nobody asks.
    Sampling never(problem, shorter);
    never.run({}, [](const SamplingProgress&) { return false; });
    EXPECT_EQ(never.done(), 1700);
    EXPECT_EQ(never.draws()[0].draws, 1360u);
    EXPECT_FALSE(never.take_up(folder.path("nothing")));
    EXPECT_FALSE(never.take_up(folder.path("chains"))) << "a checkpoint of other options";
    looks.clear();
    Sampling plain(problem, {.iterations = 1100, .seed = 3});
    plain.run({}, third_look);
    EXPECT_TRUE(looks.empty());
}

TEST(Diagnostics, CountIndependentDrawsInFullAndSeeChainsThatDiffer) {
    RandomStream random(1);
    std::array<std::vector<double>, 2> free, slow, apart;
    for (std::size_t k = 0; k < 2; ++k) {
        double x = 0.0;
        for (int i = 0; i < 8000; ++i) {
            const double e = random.normal();
            x = 0.9 * x + std::sqrt(1.0 - 0.81) * e;
            free[k].push_back(e);
            slow[k].push_back(x);
            apart[k].push_back(e + static_cast<double>(k));
        }
    }

    EXPECT_NEAR(diagnose(free).effective / 16000.0, 1.0, 0.1);
    EXPECT_NEAR(diagnose(free).r_hat, 1.0, 0.002);
    EXPECT_NEAR(diagnose(slow).effective / 16000.0, 0.1 / 1.9, 0.015);  // (1 - a) / (1 + a)
    EXPECT_GT(diagnose(apart).r_hat, 1.05);
    EXPECT_LT(diagnose(apart).effective, 30.0);
    std::array<std::vector<double>, 2> still = {std::vector<double>(100, 0.0),
                                                std::vector<double>(100, 0.0)};
    EXPECT_EQ(diagnose(still).effective, 200.0);
}

TEST(RandomStream, DrawsFromTruncatedDistributions) {
    RandomStream random(2);
    const auto mean = [&](const auto& draw) {
        double sum = 0.0;
        for (int k = 0; k < 20000; ++k) {
            sum += draw() / 20000.0;
        }
        return sum;
    };
    // Means of the normal distribution within bounds: (phi(a) - phi(b)) / (Phi(b) - Phi(a)).
    const auto phi = [](double x) {
        return std::isinf(x) ? 0.0 : std::exp(-0.5 * x * x) / std::sqrt(2.0 * M_PI);
    };
    for (const auto& [low, high] : {std::pair(-kInfinity, -3.0),
                                    {0.2, kInfinity},
                                    {4.0, kInfinity},
                                    {-1.0, 3.0},
                                    {0.1, 0.6},
                                    {2.0, 2.2},
                                    {5.0, 9.0},
                                    {-0.3, 0.9},
                                    {-9.0, -5.0}}) {
        const double truth = (phi(low) - phi(high)) / std::exp(log_normal_mass(low, high));
        EXPECT_NEAR(mean([&] { return random.normal_within(low, high); }), truth, 0.02) << low;
    }
    EXPECT_NEAR(log_normal_cdf(-20.001), log_normal_cdf(-19.999), 0.05);
    EXPECT_NEAR(log_normal_cdf(-40.0), -804.608442, 1e-5);
    EXPECT_NEAR(mean([&] { return random.gamma(3.5); }), 3.5, 0.06);
    EXPECT_NEAR(mean([&] { return random.gamma(0.5); }), 0.5, 0.03);
    // Gamma within bounds against sums over a grid of log x.
    for (const auto& [shape, rate, low, high] :
         {std::array{50.0, 10.0, 0.1, 4.0}, std::array{50.0, 10.0, 7.0, 90.0},
          std::array{50.0, 10.0, 0.1, 90.0}, std::array{50.0, 10.0, 4.9, 5.1},
          std::array{50.0, 10.0, 4.8, 40.0}, std::array{0.5, 1e-6, 0.01, 100.0}}) {
        double mass = 0.0, moment = 0.0;
        for (int k = 0; k < 20000; ++k) {
            const double x = low * std::pow(high / low, (k + 0.5) / 20000.0);
            const double w = std::exp(shape * std::log(x) - rate * x - shape * std::log(5.0));
            mass += w;
            moment += w * x;
        }
        const double truth = moment / mass;
        EXPECT_NEAR(log_gamma_mass(shape, rate, low, high),
                    std::log(mass * std::log(high / low) / 20000.0) + shape * std::log(5.0), 1e-5);
        EXPECT_NEAR(mean([&] { return random.gamma_within(shape, rate, low, high); }) / truth, 1.0,
                    0.02)
            << low << " " << high;
    }
    const std::string state = random.state();
    const double next = random.uniform();
    random.restore(state);
    EXPECT_EQ(random.uniform(), next);
    EXPECT_THROW(random.restore("x"), Error);
}

TEST(Correlation, IsThatOfTheDistanceOnTheFault) {
    const Vec3 strike = mean_strike(std::array{10.0, 190.0});
    EXPECT_NEAR(std::abs(strike.x), std::sin(10.0 * M_PI / 180.0), 1e-12);
    const std::array centres = {Vec3{0.0, 0.0, 0.0}, Vec3{0.0, 7e3, 0.0}, Vec3{10e3, 0.0, 0.0}};

    const Eigen::MatrixXd rough = matern(centres, {1.0, 0.0, 0.0}, {0.5, 10e3});
    const Eigen::MatrixXd smooth = matern(centres, {1.0, 0.0, 0.0}, {1.5, 10e3});

    EXPECT_NEAR(rough(0, 1), std::exp(-1.0), 1e-12);  // 7 km down dip are as 10 km along strike
    EXPECT_NEAR(rough(0, 2), std::exp(-1.0), 1e-12);
    EXPECT_NEAR(smooth(0, 2), (1.0 + std::sqrt(3.0)) * std::exp(-std::sqrt(3.0)), 1e-12);
    EXPECT_EQ(correlation_choices(centres, {1.0, 0.0, 0.0}).size(), 12u);
}

}  // namespace
}  // namespace kaname::posterior::sampling_test
