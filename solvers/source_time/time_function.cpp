// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/source_time/time_function.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <sstream>

#include "solvers/base/error.hpp"

namespace kaname::source_time {
namespace {

void require(bool holds, const char* name, const char* rule, double value) {
    if (!holds) {
        std::ostringstream text;
        text << name << " must be " << rule << ", got " << value;
        throw Error(ErrorCode::InvalidArgument, text.str());
    }
}

/// exp((x - 1)^2 / (x (x - 2))) in 0..1.
double step_at(double x) {
    if (x <= 0.0) {
        return 0.0;
    }
    return x >= 1.0 ? 1.0 : std::exp((x - 1.0) * (x - 1.0) / (x * (x - 2.0)));
}

/// Its derivative.
double step_slope(double x) {
    const double q = x * (x - 2.0);
    return x <= 0.0 || x >= 1.0 ? 0.0 : step_at(x) * 2.0 * (1.0 - x) / (q * q);
}

}  // namespace

TimeFunction TimeFunction::ricker(double frequency_hz, double centre_s) {
    require(frequency_hz > 0.0, "frequency_hz", "positive", frequency_hz);
    TimeFunction function(Kind::Ricker);
    function.a_ = frequency_hz;
    function.centre_s_ = centre_s;
    return function;
}

TimeFunction TimeFunction::gaussian(double width_s, double centre_s) {
    return pulse(Kind::Gaussian, "width_s", width_s, centre_s);
}

TimeFunction TimeFunction::band(double from_hz, double to_hz, double centre_s) {
    require(from_hz >= 0.0, "from_hz", "0 or more", from_hz);
    require(to_hz > from_hz, "to_hz", "above from_hz", to_hz);
    TimeFunction function(Kind::Band);
    function.a_ = from_hz;
    function.b_ = to_hz;
    function.centre_s_ = centre_s;
    function.set_moment_scale();
    return function;
}

TimeFunction TimeFunction::table(std::vector<double> times_s, std::vector<double> values) {
    require(times_s.size() >= 2 && times_s.size() == values.size(), "a table's rows",
            "at least 2, of time and value", double(times_s.size()));
    for (std::size_t k = 1; k < times_s.size(); ++k) {
        require(times_s[k] > times_s[k - 1], "times_s", "increasing", times_s[k]);
    }
    TimeFunction function(Kind::Table);
    function.times_s_ = std::move(times_s);
    function.values_ = std::move(values);
    function.areas_.push_back(0.0);
    for (std::size_t k = 1; k < function.times_s_.size(); ++k) {
        const double mean = 0.5 * (function.values_[k] + function.values_[k - 1]);
        function.areas_.push_back(function.areas_.back() +
                                  mean * (function.times_s_[k] - function.times_s_[k - 1]));
    }
    function.set_moment_scale();
    return function;
}

TimeFunction TimeFunction::pulse(Kind kind, const char* name, double length_s, double onset_s) {
    require(length_s > 0.0, name, "positive", length_s);
    TimeFunction function(kind);
    function.a_ = length_s;
    function.centre_s_ = onset_s;
    function.set_moment_scale();
    return function;
}

TimeFunction TimeFunction::triangle(double duration_s, double onset_s) {
    return pulse(Kind::Triangle, "duration_s", duration_s, onset_s);
}

TimeFunction TimeFunction::cosine(double duration_s, double onset_s) {
    return pulse(Kind::Cosine, "duration_s", duration_s, onset_s);
}

TimeFunction TimeFunction::brune(double tau_s, double onset_s) {
    return pulse(Kind::Brune, "tau_s", tau_s, onset_s);
}

TimeFunction TimeFunction::smoothed_step(double duration_s, double onset_s) {
    return pulse(Kind::SmoothedStep, "duration_s", duration_s, onset_s);
}

TimeFunction TimeFunction::yoffe(double rise_s, double smoothing_s, double onset_s) {
    require(smoothing_s > 0.0, "smoothing_s", "positive", smoothing_s);
    require(rise_s > 2.0 * smoothing_s, "rise_s", "above 2 smoothing_s", rise_s);
    TimeFunction function(Kind::Yoffe);
    function.a_ = rise_s - 2.0 * smoothing_s;
    function.b_ = smoothing_s;
    function.centre_s_ = onset_s;
    function.peak_ = yoffe_peak(function.a_, function.b_);
    function.set_moment_scale();
    return function;
}

TimeFunction TimeFunction::later(double by_s) const {
    TimeFunction function = *this;
    if (kind_ == Kind::Table) {
        for (double& time_s : function.times_s_) {
            time_s += by_s;
        }
    } else {
        function.centre_s_ += by_s;
    }
    return function;
}

double TimeFunction::at(double t_s) const {
    const double t = t_s - centre_s_;
    switch (kind_) {
        case Kind::Ricker: {
            const double a = std::numbers::pi * a_ * t;
            return (1.0 - 2.0 * a * a) * std::exp(-a * a);
        }
        case Kind::Gaussian:
            return std::exp(-0.5 * (t / a_) * (t / a_));
        case Kind::Band: {
            // sin(x)/x of the mean times that of the half width.
            const double half = std::numbers::pi * (b_ - a_) * t;
            return std::cos(std::numbers::pi * (a_ + b_) * t) *
                   (half == 0.0 ? 1.0 : std::sin(half) / half);
        }
        case Kind::Triangle:
            return std::max(0.0, 1.0 - std::abs(2.0 * t / a_ - 1.0));
        case Kind::Cosine:
            return t <= 0.0 || t >= a_ ? 0.0
                                       : 0.5 * (1.0 - std::cos(2.0 * std::numbers::pi * t / a_));
        case Kind::Brune:
            return t <= 0.0 ? 0.0 : t / a_ * std::exp(1.0 - t / a_);
        case Kind::Yoffe:
            return yoffe_rate(a_, b_, t) / peak_;
        case Kind::SmoothedStep:
            return step_at(t / a_);
        case Kind::Table:
            break;
    }
    return table_at(t_s);
}

double TimeFunction::table_at(double t_s) const {
    if (t_s < times_s_.front() || t_s > times_s_.back()) {
        return 0.0;
    }
    const std::size_t k = row_before(t_s);
    const double share = (t_s - times_s_[k]) / (times_s_[k + 1] - times_s_[k]);
    return values_[k] + share * (values_[k + 1] - values_[k]);
}

/// Returns the row that begins the line on which t lies, of times within the table.
std::size_t TimeFunction::row_before(double t_s) const {
    const auto next = std::upper_bound(times_s_.begin() + 1, times_s_.end() - 1, t_s);
    return static_cast<std::size_t>(next - times_s_.begin()) - 1;
}

double TimeFunction::moment_rate_at(double t_s) const {
    if (kind_ == Kind::SmoothedStep) {
        return step_slope((t_s - centre_s_) / a_) / a_;
    }
    return per_area_ * at(t_s);
}

// Integrals: how a moment grows.
namespace {

/// Sine integral, int_0^x sin(t)/t dt. Abramowitz and Stegun (1972): the power series 5.2.14, and
/// beyond 4 Si = pi/2 + Im E1(i x) with the continued fraction 5.1.22 of E1 by Lentz's method.
double sine_integral(double x) {
    const double size = std::abs(x);
    constexpr double kSeries = 4.0;
    constexpr int kTerms = 200;
    constexpr double kRounding = 1e-17;
    if (size <= kSeries) {
        double term = x, sum = x;
        for (int k = 1; k < kTerms && std::abs(term) > kRounding * std::abs(sum); ++k) {
            const double odd = 2.0 * k + 1.0;
            term *= -x * x / (odd * (odd - 1.0));
            sum += term / odd;
        }
        return sum;
    }
    const std::complex<double> z(0.0, size);
    std::complex<double> b = z + 1.0, d = 1.0 / b, c(1e100, 0.0);
    std::complex<double> fraction = d;
    for (int k = 1; k < kTerms; ++k) {
        const double a = -double(k) * k;
        b += 2.0;
        d = 1.0 / (a * d + b);
        c = b + a / c;
        fraction *= c * d;
        if (std::abs(c * d - 1.0) < 1e-16) {
            break;
        }
    }
    const double whole = 0.5 * std::numbers::pi + (std::exp(-z) * fraction).imag();
    return x > 0.0 ? whole : -whole;
}

}  // namespace

double TimeFunction::moment_at(double t_s) const {
    return kind_ == Kind::SmoothedStep ? at(t_s) : per_area_ * integral_at(t_s);
}

double TimeFunction::integral_at(double t_s) const {
    const double t = t_s - centre_s_;
    switch (kind_) {
        case Kind::Ricker: {
            const double a = std::numbers::pi * a_ * t;
            return t * std::exp(-a * a);
        }
        case Kind::Gaussian:
            return 0.5 * area() * std::erfc(-t / (std::numbers::sqrt2 * a_));
        case Kind::Band:
            // Si goes from -pi/2 to pi/2.
            return (sine_integral(2.0 * std::numbers::pi * b_ * t) -
                    (a_ == 0.0 ? -0.5 * std::numbers::pi
                               : sine_integral(2.0 * std::numbers::pi * a_ * t))) /
                   (2.0 * std::numbers::pi * (b_ - a_));
        case Kind::Triangle: {
            const double x = std::clamp(t / a_, 0.0, 1.0);
            return a_ * (x < 0.5 ? x * x : 0.5 - (1.0 - x) * (1.0 - x));
        }
        case Kind::Cosine: {
            const double turn = 2.0 * std::numbers::pi, x = std::clamp(t / a_, 0.0, 1.0);
            return 0.5 * a_ * (x - std::sin(turn * x) / turn);
        }
        case Kind::Brune: {
            const double x = std::max(0.0, t / a_);
            return std::numbers::e * a_ * (1.0 - (1.0 + x) * std::exp(-x));
        }
        case Kind::Yoffe:
            return yoffe_slip(a_, b_, t) / peak_;
        case Kind::SmoothedStep:
        case Kind::Table:
            break;
    }
    return table_integral_at(t_s);
}

double TimeFunction::table_integral_at(double t_s) const {
    if (t_s <= times_s_.front()) {
        return 0.0;
    }
    if (t_s >= times_s_.back()) {
        return areas_.back();
    }
    const std::size_t k = row_before(t_s);
    return areas_[k] + 0.5 * (values_[k] + table_at(t_s)) * (t_s - times_s_[k]);
}

// Areas, highest frequencies and spans of the time functions.
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
    return areas_.back();
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

namespace {

/// int_0^x int_0^x' Y(x'') for tau_r = 1: with r = sqrt(x (1 - x)) and a = asin sqrt x
///   2/pi ((2 x + 1) r / 4 + (x - 1/4) a),    x - 1/4 from x = 1 on.
double twice_integrated(double x) {
    if (x <= 0.0) {
        return 0.0;
    }
    if (x >= 1.0) {
        return x - 0.25;
    }
    const double r = std::sqrt(x * (1.0 - x));
    const double a = std::asin(std::sqrt(x));
    return 2.0 / std::numbers::pi * (0.25 * (2.0 * x + 1.0) * r + (x - 0.25) * a);
}

/// The integral of twice_integrated from 0:
///   2/pi ((x^2/6 + 5 x/24 - 1/16) r + (x^2/2 - x/4 + 1/16) a),    x^2/2 - x/4 + 1/16 from 1 on.
double thrice_integrated(double x) {
    if (x <= 0.0) {
        return 0.0;
    }
    const double beyond = (0.5 * x - 0.25) * x + 0.0625;
    if (x >= 1.0) {
        return beyond;
    }
    const double r = std::sqrt(x * (1.0 - x));
    const double a = std::asin(std::sqrt(x));
    return 2.0 / std::numbers::pi * ((x * x / 6.0 + 5.0 * x / 24.0 - 0.0625) * r + beyond * a);
}

}  // namespace

double yoffe_rate(double tau_r_s, double tau_s_s, double x_s) {
    if (x_s <= 0.0 || x_s >= tau_r_s + 2.0 * tau_s_s) {
        return 0.0;
    }
    const double x = x_s / tau_r_s;
    const double s = tau_s_s / tau_r_s;
    const double rate =
        (twice_integrated(x) - 2.0 * twice_integrated(x - s) + twice_integrated(x - 2.0 * s)) /
        (s * s * tau_r_s);
    return std::max(rate, 0.0);
}

double yoffe_slip(double tau_r_s, double tau_s_s, double x_s) {
    if (x_s >= tau_r_s + 2.0 * tau_s_s) {
        return 1.0;
    }
    const double x = x_s / tau_r_s;
    const double s = tau_s_s / tau_r_s;
    const double part =
        (thrice_integrated(x) - 2.0 * thrice_integrated(x - s) + thrice_integrated(x - 2.0 * s)) /
        (s * s);
    return std::clamp(part, 0.0, 1.0);
}

double yoffe_peak(double tau_r_s, double tau_s_s) {
    // One maximum only: Y falls, and a triangle is log-concave. Golden section; Y falls as well
    // over any two widths of the triangle, so that it lies within the triangle's.
    const double shrink = 0.5 * (std::sqrt(5.0) - 1.0);
    double low = 0.0, high = 2.0 * tau_s_s;
    constexpr int kHalvings = 60;
    for (int k = 0; k < kHalvings; ++k) {
        const double left = high - shrink * (high - low);
        const double right = low + shrink * (high - low);
        if (yoffe_rate(tau_r_s, tau_s_s, left) < yoffe_rate(tau_r_s, tau_s_s, right)) {
            low = left;
        } else {
            high = right;
        }
    }
    return yoffe_rate(tau_r_s, tau_s_s, 0.5 * (low + high));
}

}  // namespace kaname::source_time
