// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/source_time/yoffe.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kaname::source_time {
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
