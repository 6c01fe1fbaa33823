// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/voxelwave/time_function.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>

#include "solvers/base/error.hpp"

namespace kaname::voxelwave {
namespace {

constexpr double kPi = std::numbers::pi;

void require(bool holds, const char* name, const char* rule, double value) {
    if (!holds) {
        std::ostringstream text;
        text << name << " must be " << rule << ", got " << value;
        throw Error(ErrorCode::InvalidArgument, text.str());
    }
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
    require(width_s > 0.0, "width_s", "positive", width_s);
    TimeFunction function(Kind::Gaussian);
    function.a_ = width_s;
    function.centre_s_ = centre_s;
    return function;
}

TimeFunction TimeFunction::band(double from_hz, double to_hz, double centre_s) {
    require(from_hz >= 0.0, "from_hz", "0 or more", from_hz);
    require(to_hz > from_hz, "to_hz", "above from_hz", to_hz);
    TimeFunction function(Kind::Band);
    function.a_ = from_hz;
    function.b_ = to_hz;
    function.centre_s_ = centre_s;
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
    return function;
}

double TimeFunction::at(double t_s) const {
    const double t = t_s - centre_s_;
    switch (kind_) {
        case Kind::Ricker: {
            const double a = kPi * a_ * t;
            return (1.0 - 2.0 * a * a) * std::exp(-a * a);
        }
        case Kind::Gaussian:
            return std::exp(-0.5 * (t / a_) * (t / a_));
        case Kind::Band: {
            // sin(x)/x of the mean times that of the half width.
            const double half = kPi * (b_ - a_) * t;
            return std::cos(kPi * (a_ + b_) * t) * (half == 0.0 ? 1.0 : std::sin(half) / half);
        }
        default:
            break;
    }
    if (t_s < times_s_.front() || t_s > times_s_.back()) {
        return 0.0;
    }
    const auto next = std::upper_bound(times_s_.begin() + 1, times_s_.end() - 1, t_s);
    const auto k = static_cast<std::size_t>(next - times_s_.begin());
    const double share = (t_s - times_s_[k - 1]) / (times_s_[k] - times_s_[k - 1]);
    return values_[k - 1] + share * (values_[k] - values_[k - 1]);
}

double TimeFunction::highest_hz() const {
    switch (kind_) {
        case Kind::Ricker:
            return 3.2 * a_;  // x^2 exp(1 - x^2) = 1e-3 at x = 3.2
        case Kind::Gaussian:
            return std::sqrt(2.0 * std::log(1000.0)) / (2.0 * kPi * a_);
        case Kind::Band:
            return b_;
        default:
            break;
    }
    double shortest = times_s_.back() - times_s_.front();
    for (std::size_t k = 1; k < times_s_.size(); ++k) {
        shortest = std::min(shortest, times_s_[k] - times_s_[k - 1]);
    }
    return 0.5 / shortest;
}

}  // namespace kaname::voxelwave
