// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "worker/jobs/greens/answer.hpp"

namespace kaname::jobs::answer_times_test {
namespace {

using Complex = std::complex<double>;

constexpr double kEnd_s = 30.0;
constexpr double kFast = 5.0,
                 kSlow = 0.2;  // rates of U = (1 - exp(-fast t)) + 2 (1 - exp(-slow t))

/// The sums for that U, whose transform times s is sum_i a_i r_i / (s + r_i).
std::vector<double> answered(const SlipHistory& history, const std::vector<double>& epochs_s) {
    const AnswerTimes times(epochs_s, {history, kEnd_s}, kFast);
    std::vector<double> u(epochs_s.size(), 0.0);
    const std::size_t n = times.shifts().size();
    for (std::size_t epoch = 0; epoch < epochs_s.size(); ++epoch) {
        for (std::size_t k = 0; k < n; ++k) {
            const Complex s = times.shifts()[k];
            const Complex x = kFast / (s + kFast) + 2.0 * kSlow / (s + kSlow);
            u[epoch] += std::real(times.weights()[epoch * n + k] * x);
        }
    }
    return u;
}

const std::vector<double> kEpochs_s = {0.0, 1e-3, 0.3, 1.0, 2.0, 2.001, 7.0, 30.0};

TEST(AnswerTimes, AStepIsTheResponse) {
    const std::vector<double> u = answered({HistoryKind::Step}, kEpochs_s);
    for (std::size_t k = 0; k < u.size(); ++k) {
        const double t = kEpochs_s[k];
        EXPECT_NEAR(u[k], -std::expm1(-kFast * t) - 2.0 * std::expm1(-kSlow * t), 1e-8) << t;
    }
}

TEST(AnswerTimes, OnsetsAddUpFromTheirTimesOn) {
    const SourceTimeFunction step({HistoryKind::Step}, kEnd_s);
    const std::vector<AnswerTimes::Onset> onsets = {{0.0, 1.0, step}, {2.0, -0.5, step}};
    const AnswerTimes times(kEpochs_s, onsets, kFast);
    const std::vector<double> alone = answered({HistoryKind::Step}, kEpochs_s);
    const std::size_t n = times.shifts().size();
    for (std::size_t epoch = 0; epoch < kEpochs_s.size(); ++epoch) {
        const double t = kEpochs_s[epoch], later = std::max(0.0, t - 2.0);
        double u = 0.0;
        for (std::size_t k = 0; k < n; ++k) {
            const Complex s = times.shifts()[k];
            const Complex x = kFast / (s + kFast) + 2.0 * kSlow / (s + kSlow);
            u += std::real(times.weights()[epoch * n + k] * x);
        }
        EXPECT_NEAR(
            u, alone[epoch] + 0.5 * std::expm1(-kFast * later) + 1.0 * std::expm1(-kSlow * later),
            1e-7)
            << t;
        EXPECT_EQ(times.slip()[epoch], t < 2.0 ? 1.0 : 0.5);
    }
}

TEST(AnswerTimes, ARampIsTheMeanOfResponses) {
    constexpr double kRamp_s = 2.0;
    SlipHistory ramp{HistoryKind::Ramp};
    ramp.duration_s = kRamp_s;
    // Integral of U.
    const auto V = [](double t) {
        return t < 0.0 ? 0.0
                       : 3.0 * t + std::expm1(-kFast * t) / kFast +
                             2.0 * std::expm1(-kSlow * t) / kSlow;
    };
    const std::vector<double> u = answered(ramp, kEpochs_s);
    for (std::size_t k = 0; k < u.size(); ++k) {
        const double t = kEpochs_s[k];
        EXPECT_NEAR(u[k], (V(t) - V(t - kRamp_s)) / kRamp_s, 1e-5) << t;
    }
    EXPECT_NEAR(AnswerTimes(kEpochs_s, {ramp, kEnd_s}, kFast).slip()[3], 0.5, 1e-12);
}

TEST(AnswerTimes, ExponentialSlipAndJumps) {
    constexpr double kRate = 1.0;  // of the slip 1 - exp(-rate t)
    SlipHistory growing{HistoryKind::Exponential};
    growing.time_constant_s = 1.0 / kRate;
    const std::vector<double> u = answered(growing, kEpochs_s);
    const auto one = [&](double r, double t) {  // slip convolved with 1 - exp(-r t)
        return -std::expm1(-kRate * t) -
               kRate * (std::exp(-kRate * t) - std::exp(-r * t)) / (r - kRate);
    };
    for (std::size_t k = 0; k < u.size(); ++k) {
        const double t = kEpochs_s[k];
        EXPECT_NEAR(u[k], one(kFast, t) + 2.0 * one(kSlow, t), 1e-5) << t;
    }

    SlipHistory jumps{HistoryKind::Table};
    jumps.times_s = {0.0, 2.0, 2.0};
    jumps.slip = {0.25, 0.25, 1.0};
    const AnswerTimes times(kEpochs_s, {jumps, kEnd_s}, kFast);
    EXPECT_DOUBLE_EQ(times.slip()[3], 0.25);
    EXPECT_DOUBLE_EQ(times.slip()[4], 1.0);  // with the jump at its epoch
    const double later = answered(jumps, kEpochs_s)[6];
    const auto U = [](double t) { return -std::expm1(-kFast * t) - 2.0 * std::expm1(-kSlow * t); };
    EXPECT_NEAR(later, 0.25 * U(7.0) + 0.75 * U(5.0), 1e-8);
}

TEST(AnswerTimes, BeforeAnythingRelaxedThereIsNoShift) {
    const AnswerTimes times(std::vector<double>{0.0}, {{HistoryKind::Step}, kEnd_s}, kFast);
    EXPECT_TRUE(times.shifts().empty());
    EXPECT_EQ(times.slip().size(), 1U);
}

}  // namespace
}  // namespace kaname::jobs::answer_times_test
