// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/posterior/random_stream.hpp"

#include <cmath>
#include <numbers>
#include <sstream>

#include "solvers/base/error.hpp"

namespace kaname::posterior {
namespace {

/// log of P(a, x), the part of the gamma distribution below x; by its series, for x < a + 1.
double log_part_below(double a, double x) {
    double term = 1.0 / a, sum = term;
    for (double k = a + 1.0; term > 1e-16 * sum; k += 1.0) {
        term *= x / k;
        sum += term;
    }
    return a * std::log(x) - x - std::lgamma(a) + std::log(sum);
}

/// log of Q(a, x) = 1 - P(a, x), for x >= a + 1; by its continued fraction (Lentz 1976).
double log_part_above(double a, double x) {
    constexpr double kTiny = 1e-300;
    double b = x + 1.0 - a, c = 1.0 / kTiny, d = 1.0 / b, fraction = d;
    for (int k = 1; k < 100000; ++k) {
        const double factor = -k * (k - a);
        b += 2.0;
        d = factor * d + b;
        d = 1.0 / (std::abs(d) < kTiny ? kTiny : d);
        c = b + factor / c;
        c = std::abs(c) < kTiny ? kTiny : c;
        fraction *= d * c;
        if (std::abs(d * c - 1.0) < 1e-15) {
            break;
        }
    }
    return a * std::log(x) - x - std::lgamma(a) + std::log(fraction);
}

/// log(exp(a) - exp(b)), a > b.
double log_difference(double a, double b) {
    return a + std::log1p(-std::exp(std::min(b - a, -1e-300)));
}

}  // namespace

double RandomStream::uniform() {
    return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53;
}

double RandomStream::normal() {
    const double radius = std::sqrt(-2.0 * std::log(uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

double RandomStream::normal_above(double low) {
    constexpr double kPlain = 0.45;  // below it a normal draw is kept more often
    if (low < kPlain) {
        double x = normal();
        while (x < low) {
            x = normal();
        }
        return x;
    }
    // Exponential proposal of Robert's best rate.
    const double rate = 0.5 * (low + std::sqrt(low * low + 4.0));
    for (;;) {
        const double x = low - std::log(uniform()) / rate;
        if (std::log(uniform()) <= -0.5 * (x - rate) * (x - rate)) {
            return x;
        }
    }
}

double RandomStream::normal_within(double low, double high) {
    if (high == kInfinity) {
        return low == -kInfinity ? normal() : normal_above(low);
    }
    if (low == -kInfinity) {
        return -normal_above(-high);
    }
    if (high <= 0.0) {
        return -normal_within(-high, -low);
    }
    // A wide interval around zero, or a tail that hardly knows its end.
    if (low < 0.0 && high - low > 2.0) {
        double x = normal();
        while (x < low || x > high) {
            x = normal();
        }
        return x;
    }
    if (low >= 0.0 && (high - low) * (high + low) > 2.0) {
        double x = normal_above(low);
        while (x > high) {
            x = normal_above(low);
        }
        return x;
    }
    const double peak = low > 0.0 ? low : 0.0;
    for (;;) {
        const double x = low + (high - low) * uniform();
        if (std::log(uniform()) <= 0.5 * (peak - x) * (peak + x)) {
            return x;
        }
    }
}

double RandomStream::gamma(double shape) {
    if (shape < 1.0) {
        // x^(1/shape) of a uniform number turns shape + 1 into shape.
        const double more = gamma(shape + 1.0);
        return more * std::pow(uniform(), 1.0 / shape);
    }
    const double d = shape - 1.0 / 3.0, c = 1.0 / std::sqrt(9.0 * d);
    for (;;) {
        const double x = normal();
        const double root = 1.0 + c * x;
        if (root <= 0.0) {
            continue;
        }
        const double v = root * root * root;
        if (std::log(uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) {
            return d * v;
        }
    }
}

double RandomStream::gamma_within(double shape, double rate, double low, double high) {
    if (!(low < high)) {
        return low;
    }
    // Density of u = log x: exp(shape u - rate exp(u)), with its mode at log(shape / rate).
    const double a = std::log(low), b = std::log(high), mode = std::log(shape / rate);
    const auto log_density = [&](double u) { return shape * u - rate * std::exp(u); };
    const double width = 1.0 / std::sqrt(shape);
    const bool inside = mode > a && mode < b;
    if (inside && b - a > 2.0 * width) {
        double x = gamma(shape) / rate;
        while (x < low || x > high) {
            x = gamma(shape) / rate;
        }
        return x;
    }
    const double end = mode <= a ? a : b;
    const double slope = shape - rate * std::exp(end);  // of the tangent at the end nearer the mode
    if (inside || std::abs(slope) * (b - a) < 2.0) {
        const double top = log_density(std::min(std::max(mode, a), b));
        for (;;) {
            const double u = a + (b - a) * uniform();
            if (std::log(uniform()) <= log_density(u) - top) {
                return std::exp(u);
            }
        }
    }
    // The tangent lies above a log-concave density: an exponential away from the end.
    const double top = log_density(end);
    for (;;) {
        const double u = end + std::log(uniform()) / std::abs(slope) * (slope > 0.0 ? 1.0 : -1.0);
        if (u < a || u > b) {
            continue;
        }
        if (std::log(uniform()) <= log_density(u) - top - slope * (u - end)) {
            return std::exp(u);
        }
    }
}

std::string RandomStream::state() const {
    std::ostringstream text;
    text << engine_;
    return text.str();
}

void RandomStream::restore(const std::string& state) {
    std::istringstream text(state);
    std::mt19937_64 engine;
    if (!(text >> engine)) {
        throw Error(ErrorCode::InvalidArgument, "the state of a random stream is damaged");
    }
    engine_ = engine;
}

double log_normal_cdf(double x) {
    if (x > -20.0) {
        return std::log(0.5 * std::erfc(-x / std::numbers::sqrt2));
    }
    const double s = 1.0 / (x * x);
    return -0.5 * x * x - std::log(-x * std::sqrt(2.0 * std::numbers::pi)) +
           std::log1p(-s * (1.0 - 3.0 * s * (1.0 - 5.0 * s)));
}

double log_normal_mass(double low, double high) {
    if (!(low < high)) {
        return -kInfinity;
    }
    if (low == -kInfinity) {
        return log_normal_cdf(high);
    }
    if (high == kInfinity) {
        return log_normal_cdf(-low);
    }
    if (low > 0.0) {
        return log_normal_mass(-high, -low);
    }
    // log(Phi(high) - Phi(low)), by the smaller of two numbers of the same side.
    const double of_high = log_normal_cdf(high), of_low = log_normal_cdf(low);
    return of_high + std::log1p(-std::exp(of_low - of_high));
}

double log_gamma_mass(double shape, double rate, double low, double high) {
    const double a = rate * low, b = rate * high, middle = shape + 1.0;
    const double whole = std::lgamma(shape) - shape * std::log(rate);
    if (b < middle) {
        return whole + log_difference(log_part_below(shape, b), log_part_below(shape, a));
    }
    if (a >= middle) {
        return whole + log_difference(log_part_above(shape, a), log_part_above(shape, b));
    }
    return whole +
           std::log1p(-std::exp(log_part_below(shape, a)) - std::exp(log_part_above(shape, b)));
}

}  // namespace kaname::posterior
