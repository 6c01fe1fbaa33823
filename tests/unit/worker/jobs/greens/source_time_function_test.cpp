// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "worker/jobs/greens/step_response.hpp"

namespace kaname::jobs::source_time_function_test {
namespace {

constexpr double kEnd = 10.0;
const std::vector<double> kTimes = {0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0};

double convolved(const SlipHistory& history, double t,
                 const std::function<double(double)>& response) {
    double sum = 0.0;
    for (const auto& part : SourceTimeFunction(history, kEnd).parts(t, kTimes)) {
        sum += part.slip * response(part.lag_s);
    }
    return sum;
}

const std::vector<SlipHistory> kAll = {
    {HistoryKind::Step},
    {HistoryKind::Ramp, 4.0},
    {HistoryKind::Exponential, 0.0, 0.3},
    {HistoryKind::Logarithmic, 0.0, 0.02},
    {HistoryKind::Table, 0.0, 0.0, {1.0, 2.5, 2.5, 6.0, 7.0}, {0.5, 1.0, 3.0, 3.0, 2.0}},
};

TEST(SourceTimeFunction, OnlyAStepIsAStep) {
    for (const SlipHistory& history : kAll) {
        EXPECT_EQ(SourceTimeFunction(history, kEnd).is_step(), history.kind == HistoryKind::Step);
    }
    EXPECT_TRUE(SourceTimeFunction({HistoryKind::Table, 0.0, 0.0, {0.0}, {1.0}}, kEnd).is_step());
}

TEST(SourceTimeFunction, ValuesOfEachKind) {
    const auto at = [](int kind, double t) { return SourceTimeFunction(kAll[kind], kEnd).at(t); };
    EXPECT_EQ(at(0, 0.0), 1.0);
    EXPECT_DOUBLE_EQ(at(1, 1.0), 0.25);
    EXPECT_DOUBLE_EQ(at(1, 9.0), 1.0);
    EXPECT_DOUBLE_EQ(at(2, 0.3), 1.0 - std::exp(-1.0));
    EXPECT_DOUBLE_EQ(at(3, kEnd), 1.0);
    EXPECT_DOUBLE_EQ(at(3, 0.02), std::log(2.0) / std::log(501.0));
    EXPECT_EQ(at(4, 0.9), 0.0);
    EXPECT_EQ(at(4, 1.0), 0.5);
    EXPECT_DOUBLE_EQ(at(4, 2.5), 3.0);
    EXPECT_DOUBLE_EQ(at(4, 6.5), 2.5);
    EXPECT_DOUBLE_EQ(at(4, 8.0), 2.0);
}

TEST(SourceTimeFunction, WithoutRelaxationMotionFollowsTheSlip) {
    for (const SlipHistory& history : kAll) {
        for (const double t : {0.0, 0.4, 2.5, 6.2, 10.0}) {
            EXPECT_NEAR(convolved(history, t, [](double) { return 1.0; }),
                        SourceTimeFunction(history, kEnd).at(t), 1e-14)
                << text_of(history.kind) << ' ' << t;
        }
    }
}

TEST(SourceTimeFunction, ConvolutionsOfARelaxingResponse) {
    // U = 2 - exp(-t/3)
    constexpr double tau = 3.0;
    const auto U = [](double t) { return 2.0 - std::exp(-t / tau); };
    // Ramp of 4: int_0^t 1/4 U(t - t') dt' up to its end.
    const double t = 7.3;
    const double ramp = 2.0 - tau / 4.0 * (std::exp(-(t - 4.0) / tau) - std::exp(-t / tau));
    EXPECT_NEAR(convolved(kAll[1], t, U), ramp, 1e-8);
    // Exponential of T: 2 (1 - e^(-t/T)) - (e^(-t/tau) - e^(-t/T)) / (1 - T/tau).
    constexpr double T = 0.3;
    const double slow =
        2.0 * -std::expm1(-t / T) - (std::exp(-t / tau) - std::exp(-t / T)) / (1.0 - T / tau);
    EXPECT_NEAR(convolved(kAll[2], t, U), slow, 1e-4);
    // Table: jumps as they are, the ramps between by the same integral.
    const auto piece = [&](double a, double b, double rise) {
        return rise * (2.0 - tau / (b - a) * (std::exp(-(t - b) / tau) - std::exp(-(t - a) / tau)));
    };
    const double table =
        0.5 * U(t - 1.0) + piece(1.0, 2.5, 0.5) + 2.0 * U(t - 2.5) + piece(6.0, 7.0, -1.0);
    EXPECT_NEAR(convolved(kAll[4], t, U), table, 1e-8);
}

}  // namespace
}  // namespace kaname::jobs::source_time_function_test
