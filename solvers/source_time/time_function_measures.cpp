// SPDX-License-Identifier: BSD-3-Clause
// Areas, highest frequencies and spans of the time functions.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "solvers/source_time/time_function.hpp"

namespace kaname::source_time {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// An area below this part of that of |s| is none.
constexpr double kNoArea = 1e-6;
/// One over the part of its largest value that a spectrum has at its highest frequency.
constexpr double kSpectrum = 1000.0;

/// int |f| of a straight line from a to b over a unit interval.
double absolute_area(double a, double b) {
    if (a * b >= 0.0) {
        return 0.5 * std::abs(a + b);
    }
    return 0.5 * (a * a + b * b) / (std::abs(a) + std::abs(b));
}

}  // namespace

double TimeFunction::area() const {
    switch (kind_) {
        case Kind::Ricker:
            return 0.0;
        case Kind::Gaussian:
            return std::sqrt(2.0 * std::numbers::pi) * a_;
        case Kind::Band:
            // Its spectrum, 1/(2 (to - from)) on both sides, at 0 Hz.
            return a_ == 0.0 ? 0.5 / b_ : 0.0;
        case Kind::Triangle:
        case Kind::Cosine:
            return 0.5 * a_;
        case Kind::Brune:
            return std::numbers::e * a_;
        case Kind::Yoffe:
            return 1.0 / peak_;
        case Kind::SmoothedStep:
            return kInfinity;
        case Kind::Table:
            break;
    }
    double sum = 0.0;
    for (std::size_t k = 1; k < times_s_.size(); ++k) {
        sum += 0.5 * (values_[k] + values_[k - 1]) * (times_s_[k] - times_s_[k - 1]);
    }
    return sum;
}

void TimeFunction::set_moment_scale() {
    const double whole = area();
    double absolute = std::abs(whole);
    if (kind_ == Kind::Table) {
        absolute = 0.0;
        for (std::size_t k = 1; k < times_s_.size(); ++k) {
            absolute += absolute_area(values_[k - 1], values_[k]) * (times_s_[k] - times_s_[k - 1]);
        }
    }
    per_area_ = std::abs(whole) > kNoArea * absolute ? 1.0 / whole : 1.0;
}

double TimeFunction::highest_hz() const {
    switch (kind_) {
        case Kind::Ricker:
            return 3.2 * a_;  // x^2 exp(1 - x^2) = 1e-3 at x = 3.2
        case Kind::Gaussian:
            return std::sqrt(2.0 * std::log(1000.0)) / (2.0 * std::numbers::pi * a_);
        case Kind::Band:
            return b_;
        case Kind::Triangle:
            // sinc^2(f T / 2) <= (pi f T / 2)^-2
            return 2.0 * std::sqrt(kSpectrum) / (std::numbers::pi * a_);
        case Kind::Cosine:
            return 6.877 / a_;  // 1 / (pi x (x^2 - 1)) = 1e-3 at x = f T = 6.877
        case Kind::Brune:
            // 1 / (1 + (2 pi f tau)^2)
            return std::sqrt(kSpectrum - 1.0) / (2.0 * std::numbers::pi * a_);
        case Kind::Yoffe: {
            // The triangle's (pi f tau_s)^-2 times the singularity's 2 / sqrt(2 pi^2 f tau_r),
            // or 1.
            const double triangle = std::sqrt(kSpectrum) / (std::numbers::pi * b_);
            const double both =
                std::pow(kSpectrum * std::sqrt(2.0 / a_) /
                             (std::numbers::pi * std::numbers::pi * std::numbers::pi * b_ * b_),
                         0.4);
            return std::min(triangle, both);
        }
        case Kind::SmoothedStep:
            return 14.1 / a_;  // of the derivative, by numerical transform
        case Kind::Table:
            break;
    }
    double shortest = times_s_.back() - times_s_.front();
    for (std::size_t k = 1; k < times_s_.size(); ++k) {
        shortest = std::min(shortest, times_s_[k] - times_s_[k - 1]);
    }
    return 0.5 / shortest;
}

Span TimeFunction::span() const {
    constexpr double kGaussian = 6.44;  // exp(-x^2/2) = 1e-9
    constexpr double kRicker = 5.0;     // (2 x^2 - 1) exp(-x^2) = 7e-10, x = pi f t
    constexpr double kBrune = 25.0;     // x exp(1 - x) = 9e-10
    switch (kind_) {
        case Kind::Ricker:
            return {centre_s_ - kRicker / (std::numbers::pi * a_),
                    centre_s_ + kRicker / (std::numbers::pi * a_)};
        case Kind::Gaussian:
            return {centre_s_ - kGaussian * a_, centre_s_ + kGaussian * a_};
        case Kind::Band:
            return {-kInfinity, kInfinity};
        case Kind::Triangle:
        case Kind::Cosine:
            return {centre_s_, centre_s_ + a_};
        case Kind::Brune:
            return {centre_s_, centre_s_ + kBrune * a_};
        case Kind::Yoffe:
            return {centre_s_, centre_s_ + a_ + 2.0 * b_};
        case Kind::SmoothedStep:
            return {centre_s_, kInfinity};
        case Kind::Table:
            break;
    }
    return {times_s_.front(), times_s_.back()};
}

Span TimeFunction::moment_rate_span() const {
    return kind_ == Kind::SmoothedStep ? Span{centre_s_, centre_s_ + a_} : span();
}

}  // namespace kaname::source_time
