// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/source_time/time_function.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>

#include "solvers/base/error.hpp"
#include "solvers/source_time/yoffe.hpp"

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
    const auto next = std::upper_bound(times_s_.begin() + 1, times_s_.end() - 1, t_s);
    const auto k = static_cast<std::size_t>(next - times_s_.begin());
    const double share = (t_s - times_s_[k - 1]) / (times_s_[k] - times_s_[k - 1]);
    return values_[k - 1] + share * (values_[k] - values_[k - 1]);
}

double TimeFunction::moment_rate_at(double t_s) const {
    if (kind_ == Kind::SmoothedStep) {
        return step_slope((t_s - centre_s_) / a_) / a_;
    }
    return per_area_ * at(t_s);
}

}  // namespace kaname::source_time
