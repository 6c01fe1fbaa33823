// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/waves/decimate.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "solvers/base/error.hpp"

namespace kaname::jobs {
namespace {

constexpr double kStop_db = 80.0;
constexpr double kFlat = 0.8;  ///< of the new Nyquist frequency

/// Modified Bessel function of order 0, by its series.
double bessel_i0(double x) {
    double sum = 1.0, term = 1.0;
    for (int k = 1; term > 1e-16 * sum; ++k) {
        term *= x * x / (4.0 * k * k);
        sum += term;
    }
    return sum;
}

/// One half of the filter, its middle first, sum of all 1 (J. F. Kaiser 1974).
std::vector<double> filter(int factor) {
    const double beta = 0.1102 * (kStop_db - 8.7);
    const double transition = M_PI * (1.0 - kFlat) / factor;
    const int reach = static_cast<int>(std::ceil((kStop_db - 7.95) / (2.285 * transition) / 2.0));
    const double cut = 0.5 * (1.0 + kFlat) / factor;  // of the old Nyquist frequency
    std::vector<double> half;
    double sum = 0.0;
    for (int k = 0; k <= reach; ++k) {
        const double sinc = k == 0 ? cut : std::sin(M_PI * cut * k) / (M_PI * k);
        const double at = static_cast<double>(k) / (reach + 1);
        half.push_back(sinc * bessel_i0(beta * std::sqrt(1.0 - at * at)) / bessel_i0(beta));
        sum += (k == 0 ? 1.0 : 2.0) * half.back();
    }
    for (double& h : half) {
        h /= sum;
    }
    return half;
}

}  // namespace

std::vector<float> decimate(std::span<const float> series, int factor) {
    if (factor < 1) {
        throw Error(ErrorCode::InvalidArgument,
                    "factor must be >= 1, got " + std::to_string(factor));
    }
    if (factor == 1) {
        return {series.begin(), series.end()};
    }
    const std::vector<double> half = filter(factor);
    const auto n = static_cast<std::ptrdiff_t>(series.size());
    const auto at = [&](std::ptrdiff_t k) -> double {
        if (k >= n) {
            return 2.0 * series[static_cast<std::size_t>(n - 1)] -
                   series[static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, 2 * (n - 1) - k))];
        }
        return k < 0 ? 0.0 : series[static_cast<std::size_t>(k)];
    };
    std::vector<float> out;
    for (std::ptrdiff_t k = 0; k < n; k += factor) {
        double sum = half[0] * at(k);
        for (std::ptrdiff_t j = 1; j < std::ssize(half); ++j) {
            sum += half[static_cast<std::size_t>(j)] * (at(k - j) + at(k + j));
        }
        out.push_back(static_cast<float>(sum));
    }
    return out;
}

}  // namespace kaname::jobs
