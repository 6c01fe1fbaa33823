// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/spectrum/inverse_laplace.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>

#include "solvers/base/error.hpp"

namespace kaname::viscoelastic {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kDecade = 10.0;   ///< last time of a window over its first
constexpr int kContourNodes = 22;  ///< error exp(-1.019 kContourNodes)
// Angle that makes exp(-B N) smallest for windows of a decade, B = (pi^2 - 2 pi alpha) / A.
constexpr double kAlpha = 1.02367;

/// A of the paper: half of the range of u that N steps cover.
double half_range() {
    const double numerator = (kPi - 2.0 * kAlpha) * kDecade + 4.0 * kAlpha - kPi;
    return std::acosh(numerator / ((4.0 * kAlpha - kPi) * std::sin(kAlpha)));
}

/// Adds the nodes and weights of times within [first, kDecade first].
void add_window(std::span<const double> times_s, std::vector<std::size_t> times,
                LaplaceContour& contour) {
    const double A = half_range();
    const double step = A / kContourNodes;
    const double last_s = kDecade * times_s[times.front()];
    const double mu = (4.0 * kPi * kAlpha - kPi * kPi) / A * kContourNodes / last_s;
    LaplaceContour::Window window{contour.s.size(), kContourNodes, std::move(times), {}};
    std::vector<std::complex<double>> slope;
    for (int k = 0; k < kContourNodes; ++k) {
        const std::complex<double> w(-kAlpha, (k + 0.5) * step);
        contour.s.push_back(mu * (1.0 + std::sin(w)));
        // h/(pi i) dz/du, dz/du = i mu cos(w)
        slope.push_back(step / kPi * mu * std::cos(w));
    }
    for (const std::size_t time : window.times) {
        for (int k = 0; k < kContourNodes; ++k) {
            window.weights.push_back(slope[k] *
                                     std::exp(contour.s[window.first_node + k] * times_s[time]));
        }
    }
    contour.windows.push_back(std::move(window));
}

}  // namespace

LaplaceContour laplace_contour(std::span<const double> times_s) {
    std::vector<std::size_t> order(times_s.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::erase_if(order, [&](std::size_t i) {
        if (!(std::isfinite(times_s[i]) && times_s[i] >= 0.0)) {
            throw Error(ErrorCode::InvalidArgument,
                        "a time must be finite and >= 0 s, got " + std::to_string(times_s[i]));
        }
        return times_s[i] == 0.0;
    });
    std::ranges::sort(order, {}, [&](std::size_t i) { return times_s[i]; });
    LaplaceContour contour;
    for (auto first = order.begin(); first != order.end();) {
        const double last_s = kDecade * times_s[*first];
        const auto end =
            std::find_if(first, order.end(), [&](std::size_t i) { return times_s[i] > last_s; });
        add_window(times_s, {first, end}, contour);
        first = end;
    }
    return contour;
}

}  // namespace kaname::viscoelastic
