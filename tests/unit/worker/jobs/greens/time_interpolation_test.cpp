// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "worker/jobs/greens/step_response.hpp"

namespace kaname::jobs::time_interpolation_test {
namespace {

double cubic(double t, int column) {
    return 1.0 + column - 2.0 * t + 0.5 * t * t - (0.1 + column) * t * t * t;
}

/// Values [steps][3] of `f` at the steps.
std::vector<double> sampled(const std::vector<double>& steps, double (*f)(double, int)) {
    std::vector<double> values;
    for (const double t : steps) {
        for (int column = 0; column < 3; ++column) {
            values.push_back(f(t, column));
        }
    }
    return values;
}

const std::vector<double> kSteps = {0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0};

TEST(TimeInterpolation, IsExactForCubicsEverywhere) {
    const std::vector<double> epochs = {0.0, 0.1, 0.49, 0.5, 1.23, 1.75, 2.4, 2.6, 2.99, 3.0};

    const auto values = TimeInterpolation(kSteps, epochs).apply(sampled(kSteps, cubic), 3);

    ASSERT_EQ(values.size(), epochs.size() * 3);
    for (std::size_t k = 0; k < values.size(); ++k) {
        const int column = static_cast<int>(k % 3);
        EXPECT_NEAR(values[k], cubic(epochs[k / 3], column), 1e-12) << epochs[k / 3];
    }
}

TEST(TimeInterpolation, TakesTheNearestStepsInside) {
    // Nothing but step 3 (t = 1.5) is non-zero: epochs beyond its neighbours' stencils see none.
    std::vector<double> values(kSteps.size(), 0.0);
    values[3] = 1.0;

    const auto result =
        TimeInterpolation(kSteps, std::vector<double>{1.5, 1.25, 1.75, 0.25}).apply(values, 1);

    EXPECT_DOUBLE_EQ(result[0], 1.0);
    EXPECT_DOUBLE_EQ(result[1], 0.5625);  // cubic through four, from the middle interval
    EXPECT_DOUBLE_EQ(result[2], 0.5625);
    EXPECT_DOUBLE_EQ(result[3], 0.0625);  // the first four steps, epoch in their first interval
}

TEST(TimeInterpolation, FewStepsUseThePolynomialThroughThem) {
    const auto line = [](double t, int column) { return 3.0 - column * t; };
    const std::vector<double> two = {0.0, 4.0};
    const std::vector<double> epochs = {0.0, 1.0, 4.0};

    const auto values = TimeInterpolation(two, epochs).apply(sampled(two, line), 3);

    for (std::size_t k = 0; k < values.size(); ++k) {
        EXPECT_NEAR(values[k], line(epochs[k / 3], static_cast<int>(k % 3)), 1e-14);
    }
}

TEST(TimeInterpolation, OneStepHoldsForEveryEpoch) {
    const std::vector<double> epochs = {0.0, 1e9};

    const auto values =
        TimeInterpolation(std::vector<double>{0.0}, epochs).apply(std::vector<double>{7.0, 8.0}, 2);

    EXPECT_EQ(values, (std::vector<double>{7.0, 8.0, 7.0, 8.0}));
}

TEST(TimeInterpolation, RefusesEpochsOutsideTheSteps) {
    for (const double epoch : {3.01, -0.01}) {
        try {
            const TimeInterpolation interpolation(kSteps, std::vector<double>{1.0, epoch});
            FAIL() << "no error";
        } catch (const Error& error) {
            const std::string text = error.what();
            EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
            EXPECT_NE(text.find("time.epochs_s"), std::string::npos) << text;
            EXPECT_NE(text.find(std::to_string(epoch)), std::string::npos) << text;
        }
    }
}

TEST(TimeInterpolation, AcceptsTheEndUpToRounding) {
    const std::vector<double> epochs = {3.0 * (1.0 + 1e-15)};

    const auto values = TimeInterpolation(kSteps, epochs).apply(sampled(kSteps, cubic), 3);

    EXPECT_NEAR(values[0], cubic(3.0, 0), 1e-12);
}

}  // namespace
}  // namespace kaname::jobs::time_interpolation_test
