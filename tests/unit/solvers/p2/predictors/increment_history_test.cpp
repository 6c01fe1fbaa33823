// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "solvers/lanes/lanes.hpp"
#include "solvers/p2/predictors/predictor.hpp"

namespace kaname::predictors::increment_history_test {
namespace {

constexpr std::size_t kSize = 5 * lanes::kLanes;

/// Increment k of number i: the polynomial, scaled differently for each number.
device::Buffer<double> increment(const std::function<double(double)>& polynomial, int k) {
    device::Buffer<double> du(kSize);
    for (std::size_t i = 0; i < kSize; ++i) {
        du[i] = (1.0 + 0.1 * static_cast<double>(i)) * polynomial(k);
    }
    return du;
}

/// Prediction of increment n from the increments 0..n-1.
device::Buffer<double> predicted(Polynomial kind, const std::function<double(double)>& polynomial,
                                 int n) {
    device::Queue queue;
    IncrementHistory history(kind, kSize, queue);
    for (int k = 0; k < n; ++k) {
        history.push(increment(polynomial, k), {}, {}, queue);
    }
    device::Buffer<double> du(kSize);
    du.fill(99.0);
    history.predict(du, {}, queue);
    return du;
}

void expect_equal(const device::Buffer<double>& a, const device::Buffer<double>& b) {
    for (std::size_t i = 0; i < kSize; ++i) {
        EXPECT_NEAR(a[i], b[i], 1e-10 * (1.0 + std::abs(b[i]))) << i;
    }
}

double constant(double) {
    return 3.0;
}
double linear(double k) {
    return 3.0 - 2.0 * k;
}
double quadratic(double k) {
    return linear(k) + 0.5 * k * k;
}
double cubic(double k) {
    return quadratic(k) - 0.25 * k * k * k;
}

TEST(IncrementHistory, CubicContinuesCubicSequences) {
    for (const int n : {4, 5, 9}) {
        expect_equal(predicted(Polynomial::Cubic, cubic, n), increment(cubic, n));
    }
}

TEST(IncrementHistory, Ab2ContinuesLinearSequences) {
    for (const int n : {2, 3, 7}) {
        expect_equal(predicted(Polynomial::Ab2, linear, n), increment(linear, n));
    }
}

TEST(IncrementHistory, PreviousRepeatsTheNewest) {
    for (const int n : {1, 2, 5}) {
        expect_equal(predicted(Polynomial::Previous, cubic, n), increment(cubic, n - 1));
    }
}

TEST(IncrementHistory, NoneAndEmptyPredictZero) {
    const device::Buffer<double> zero(kSize);

    expect_equal(predicted(Polynomial::None, cubic, 6), zero);
    expect_equal(predicted(Polynomial::Cubic, cubic, 0), zero);
}

TEST(IncrementHistory, FewerIncrementsUseThePolynomialThroughThose) {
    expect_equal(predicted(Polynomial::Cubic, constant, 1), increment(constant, 1));
    expect_equal(predicted(Polynomial::Cubic, linear, 2), increment(linear, 2));
    expect_equal(predicted(Polynomial::Cubic, quadratic, 3), increment(quadratic, 3));
    expect_equal(predicted(Polynomial::Ab2, constant, 1), increment(constant, 1));
}

TEST(IncrementHistory, ClearForgetsEverything) {
    device::Queue queue;
    IncrementHistory history(Polynomial::Ab2, kSize, queue);
    history.push(increment(cubic, 1), {}, {}, queue);
    history.push(increment(cubic, 2), {}, {}, queue);
    history.clear();
    history.push(increment(linear, 5), {}, {}, queue);
    device::Buffer<double> du(kSize);

    history.predict(du, {}, queue);

    expect_equal(du, increment(linear, 5));
}

TEST(IncrementHistory, ZeroLaneForgetsThatLaneOnlyEvenAfterNan) {
    device::Queue queue;
    IncrementHistory history(Polynomial::Cubic, kSize, queue);
    for (int k = 0; k < 4; ++k) {
        auto du = increment(cubic, k);
        du[2] = std::numeric_limits<double>::quiet_NaN();
        history.push(du, {}, {}, queue);
    }
    history.zero_lane(2, queue);
    device::Buffer<double> du(kSize);

    history.predict(du, {}, queue);

    const auto expected = increment(cubic, 4);
    for (std::size_t i = 0; i < kSize; ++i) {
        EXPECT_NEAR(du[i], i % lanes::kLanes == 2 ? 0.0 : expected[i], 1e-10) << i;
    }
}

}  // namespace
}  // namespace kaname::predictors::increment_history_test
