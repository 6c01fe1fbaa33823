// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/source_time/time_function.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"

namespace kaname::source_time::time_function_test {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kOnset = 0.3;

struct Named {
    const char* name;
    TimeFunction function;
};

const Named kPulses[] = {
    {"gaussian", TimeFunction::gaussian(0.2, 1.5)},
    {"triangle", TimeFunction::triangle(1.4, kOnset)},
    {"cosine", TimeFunction::cosine(1.4, kOnset)},
    {"brune", TimeFunction::brune(0.25, kOnset)},
    {"yoffe", TimeFunction::yoffe(1.4, 0.14, kOnset)},
    {"sharp yoffe", TimeFunction::yoffe(1.4, 0.02, kOnset)},
    {"round yoffe", TimeFunction::yoffe(1.4, 0.6, kOnset)},
};

/// Midpoint sum of f(t) over the span, without the infinite ends.
template <class Of>
auto integral(const Span& span, int n, const Of& of) {
    const double dt = (span.until_s - span.from_s) / n;
    decltype(of(0.0)) sum{};
    for (int k = 0; k < n; ++k) {
        sum += of(span.from_s + (k + 0.5) * dt) * dt;
    }
    return sum;
}

/// |spectrum| of a moment rate at f.
double spectrum(const TimeFunction& function, double f_hz) {
    return std::abs(integral(function.moment_rate_span(), 4000, [&](double t) {
        return function.moment_rate_at(t) * std::polar(1.0, -2.0 * kPi * f_hz * t);
    }));
}

TEST(TimeFunction, AreasOfPulsesAreTheirIntegrals) {
    for (const auto& [name, function] : kPulses) {
        SCOPED_TRACE(name);
        const Span span = function.span();
        const double sum = integral(span, 200000, [&](double t) { return function.at(t); });
        EXPECT_NEAR(function.area() / sum, 1.0, 1e-6);
        EXPECT_NEAR(integral(span, 200000, [&](double t) { return function.moment_rate_at(t); }),
                    1.0, 1e-6);
    }
}

TEST(TimeFunction, AMomentIsTheIntegralOfItsRate) {
    const auto check = [](const TimeFunction& function, double from_s, double until_s) {
        constexpr int kSteps = 4000;
        const double dt = (until_s - from_s) / kSteps;
        double sum = function.moment_at(from_s), apart = 0.0;
        for (int k = 0; k < kSteps; ++k) {
            // Simpson's rule.
            const double t = from_s + k * dt;
            sum += dt / 6.0 *
                   (function.moment_rate_at(t) + 4.0 * function.moment_rate_at(t + 0.5 * dt) +
                    function.moment_rate_at(t + dt));
            apart = std::max(apart, std::abs(sum - function.moment_at(t + dt)));
        }
        EXPECT_LT(apart, 1e-6);
    };
    for (const auto& [name, function] : kPulses) {
        SCOPED_TRACE(name);
        check(function, 0.0, 3.0);
        EXPECT_LT(function.moment_at(0.0), 1e-12);
        EXPECT_NEAR(function.moment_at(8.0), 1.0, 1e-9);
    }
    const TimeFunction step = TimeFunction::smoothed_step(0.8, kOnset);
    check(step, 0.0, 3.0);
    EXPECT_EQ(step.moment_at(3.0), 1.0);
    check(TimeFunction::ricker(2.0, 1.0), 0.0, 3.0);
    EXPECT_NEAR(TimeFunction::ricker(2.0, 1.0).moment_at(5.0), 0.0, 1e-12);
    for (const double from_hz : {0.0, 1.0}) {
        SCOPED_TRACE(from_hz);
        const TimeFunction band = TimeFunction::band(from_hz, 2.0, 0.0);
        check(band, -3.0, 3.0);
        EXPECT_NEAR(band.moment_at(1e5), from_hz == 0.0 ? 1.0 : 0.0, 1e-5);
        EXPECT_NEAR(band.moment_at(-1e5), 0.0, 1e-5);
    }
    const TimeFunction table = TimeFunction::table({1.0, 2.0, 4.0}, {0.0, 3.0, 1.0});
    EXPECT_EQ(table.moment_at(1.0), 0.0);
    EXPECT_DOUBLE_EQ(table.moment_at(2.0), 1.5 / 5.5);
    EXPECT_DOUBLE_EQ(table.moment_at(3.0), (1.5 + 2.5) / 5.5);
    EXPECT_DOUBLE_EQ(table.moment_at(9.0), 1.0);
}

TEST(TimeFunction, PulsesHaveTheLargestValue1AndNothingOutsideOfTheirSpan) {
    for (const auto& [name, function] : kPulses) {
        SCOPED_TRACE(name);
        const Span span = function.span();
        double largest = 0.0;
        for (int k = 0; k <= 100000; ++k) {
            largest = std::max(largest,
                               function.at(span.from_s + k * 1e-5 * (span.until_s - span.from_s)));
        }
        EXPECT_NEAR(largest, 1.0, 1e-6);
        EXPECT_LT(std::abs(function.at(span.from_s - 1e-3)), 1e-9);
        EXPECT_LT(std::abs(function.at(span.until_s + 1e-3)), 1e-9);
    }
}

TEST(TimeFunction, SpectraDieOutAtTheHighestFrequency) {
    const auto check = [](const TimeFunction& function) {
        const double highest = function.highest_hz();
        double above = 0.0, below = 0.0;
        for (int k = 0; k < 200; ++k) {
            above = std::max(above, spectrum(function, highest * (1.0 + 0.005 * k)));
            below = std::max(below, spectrum(function, highest * (0.55 + 0.0022 * k)));
        }
        EXPECT_LT(above, 1.05e-3);
        EXPECT_GT(below, 0.8e-3);  // and not far before it
    };
    for (const auto& [name, function] : kPulses) {
        SCOPED_TRACE(name);
        check(function);
    }
    check(TimeFunction::smoothed_step(0.8, kOnset));
}

TEST(TimeFunction, BruneHasItsCornerWhereHalfOfTheSpectrumIsLeft) {
    const TimeFunction brune = TimeFunction::brune(0.25, kOnset);
    EXPECT_DOUBLE_EQ(brune.at(kOnset + 0.25), 1.0);
    // 1 / (1 + (f / f_c)^2), f_c = 1 / (2 pi tau)
    const double corner = 1.0 / (2.0 * kPi * 0.25);
    EXPECT_NEAR(spectrum(brune, corner), 0.5, 1e-4);
    EXPECT_NEAR(spectrum(brune, 3.0 * corner), 0.1, 1e-4);
}

/// The sum of Tinti et al. 2005's convolution: the Yoffe function with a triangle.
double convolved_yoffe(double tau_r, double tau_s, double x) {
    // x' = tau_r sin^2 a: Y dx' = 4/pi cos^2 a da.
    const int n = 20000;
    double sum = 0.0;
    for (int k = 0; k < n; ++k) {
        const double a = (k + 0.5) * 0.5 * kPi / n;
        const double shift = x - tau_r * std::sin(a) * std::sin(a);
        const double triangle = std::max(0.0, 1.0 - std::abs(shift / tau_s - 1.0)) / tau_s;
        sum += 4.0 / kPi * std::cos(a) * std::cos(a) * triangle * (0.5 * kPi / n);
    }
    return sum;
}

TEST(TimeFunction, YoffeIsTheConvolutionAndPeaksWherePublished) {
    const double tau_s = 0.1, tau_r = 1.2;
    const TimeFunction yoffe = TimeFunction::yoffe(tau_r + 2.0 * tau_s, tau_s, 0.0);
    for (double x = 0.02; x < tau_r + 2.0 * tau_s; x += 0.07) {
        EXPECT_NEAR(yoffe.at(x) / yoffe.area(), convolved_yoffe(tau_r, tau_s, x), 2e-4) << x;
    }
}

TEST(TimeFunction, YoffePeaksAtFourThirdsOfTheSmoothingWhereThatIsShort) {
    // There s goes with x^1.5 - 2 (x - tau_s)^1.5 from tau_s to 2 tau_s.
    const double tau_s = 1e-3;
    const TimeFunction yoffe = TimeFunction::yoffe(1.0, tau_s, 0.0);
    double peak_s = 0.0;
    for (double x = 0.0; x < 2.0 * tau_s; x += 1e-7) {
        peak_s = yoffe.at(x) > yoffe.at(peak_s) ? x : peak_s;
    }
    EXPECT_NEAR(peak_s / tau_s, 4.0 / 3.0, 2e-3);
}

TEST(TimeFunction, SmoothedStepStaysAtOneAndItsMomentRateIsItsSlope) {
    const TimeFunction step = TimeFunction::smoothed_step(0.8, kOnset);
    EXPECT_EQ(step.at(kOnset), 0.0);
    EXPECT_EQ(step.at(kOnset + 0.8), 1.0);
    EXPECT_EQ(step.at(1e6), 1.0);
    EXPECT_DOUBLE_EQ(step.at(kOnset + 0.4), std::exp(-1.0 / 3.0));
    EXPECT_EQ(step.area(), std::numeric_limits<double>::infinity());
    for (double t = kOnset + 0.01; t < kOnset + 0.8; t += 0.05) {
        const double h = 1e-5;
        EXPECT_NEAR(step.moment_rate_at(t), (step.at(t + h) - step.at(t - h)) / (2.0 * h), 1e-5);
    }
    EXPECT_EQ(step.span().until_s, std::numeric_limits<double>::infinity());
    EXPECT_DOUBLE_EQ(step.moment_rate_span().until_s, kOnset + 0.8);
}

TEST(TimeFunction, WithoutAnAreaTheMomentRateIsTheFunction) {
    const TimeFunction ricker = TimeFunction::ricker(2.0, 1.0);
    EXPECT_EQ(ricker.area(), 0.0);
    EXPECT_EQ(ricker.moment_rate_at(1.1), ricker.at(1.1));
    EXPECT_NEAR(integral(ricker.span(), 10000, [&](double t) { return ricker.at(t); }), 0.0, 1e-9);

    const TimeFunction waves = TimeFunction::table({0.0, 1.0, 2.0, 3.0}, {0.0, 1.0, -1.0, 0.0});
    EXPECT_EQ(waves.area(), 0.0);
    EXPECT_EQ(waves.moment_rate_at(1.0), 1.0);
    EXPECT_EQ(TimeFunction::band(1.0, 2.0, 0.0).area(), 0.0);
    EXPECT_EQ(TimeFunction::band(0.0, 2.0, 0.0).area(), 0.25);
}

TEST(TimeFunction, TablesAreStraightLinesWithAnArea) {
    const TimeFunction table = TimeFunction::table({1.0, 2.0, 4.0}, {0.0, 3.0, 1.0});
    EXPECT_EQ(table.at(0.9), 0.0);
    EXPECT_EQ(table.at(1.5), 1.5);
    EXPECT_EQ(table.at(3.0), 2.0);
    EXPECT_EQ(table.area(), 5.5);
    EXPECT_EQ(table.moment_rate_at(3.0), 2.0 / 5.5);
    EXPECT_EQ(table.highest_hz(), 0.5);
    EXPECT_EQ(table.span().from_s, 1.0);
    EXPECT_EQ(table.span().until_s, 4.0);
}

TEST(TimeFunction, LaterIsTheSameAtALaterTime) {
    const TimeFunction table = TimeFunction::table({1.0, 2.0, 4.0}, {0.0, 3.0, 1.0});
    EXPECT_EQ(table.later(0.5).at(2.0), table.at(1.5));
    EXPECT_EQ(table.later(0.5).span().until_s, 4.5);
    for (const auto& [name, function] : kPulses) {
        EXPECT_NEAR(function.later(2.0).moment_rate_at(3.0), function.moment_rate_at(1.0), 1e-12)
            << name;
    }
}

std::string refusal(const std::function<TimeFunction()>& make) {
    try {
        (void)make();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

TEST(TimeFunction, NumbersOutOfRangeAreRefused) {
    EXPECT_EQ(refusal([] { return TimeFunction::ricker(0.0, 1.0); }),
              "frequency_hz must be positive, got 0");
    EXPECT_EQ(refusal([] { return TimeFunction::gaussian(-1.0, 1.0); }),
              "width_s must be positive, got -1");
    EXPECT_EQ(refusal([] { return TimeFunction::triangle(0.0, 1.0); }),
              "duration_s must be positive, got 0");
    EXPECT_EQ(refusal([] { return TimeFunction::brune(0.0, 1.0); }),
              "tau_s must be positive, got 0");
    EXPECT_EQ(refusal([] { return TimeFunction::yoffe(1.0, 0.5, 1.0); }),
              "rise_s must be above 2 smoothing_s, got 1");
    EXPECT_EQ(refusal([] { return TimeFunction::band(2.0, 2.0, 1.0); }),
              "to_hz must be above from_hz, got 2");
    EXPECT_EQ(refusal([] {
                  return TimeFunction::table({0.0, 0.0}, {1.0, 2.0});
              }),
              "times_s must be increasing, got 0");
}

}  // namespace
}  // namespace kaname::source_time::time_function_test
