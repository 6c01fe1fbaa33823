// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/posterior/diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "solvers/base/error.hpp"

namespace kaname::posterior {
namespace {

double mean_of(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Sum of products of deviations that are `lag` apart, over the number of values.
double autocovariance(std::span<const double> values, double mean, std::size_t lag) {
    double sum = 0.0;
    for (std::size_t i = lag; i < values.size(); ++i) {
        sum += (values[i] - mean) * (values[i - lag] - mean);
    }
    return sum / static_cast<double>(values.size());
}

}  // namespace

Diagnostics diagnose(std::span<const std::vector<double>> chains) {
    std::vector<std::span<const double>> halves;
    const std::size_t n = chains.empty() ? 0 : chains.front().size() / 2;
    if (n < 2) {
        throw Error(ErrorCode::Internal, "diagnostics need chains of four draws or more");
    }
    for (const std::vector<double>& chain : chains) {
        const std::span<const double> all(chain);
        halves.push_back(all.first(n));
        halves.push_back(all.last(n));
    }
    const auto count = static_cast<double>(n), m = static_cast<double>(halves.size());
    std::vector<double> means;
    double within = 0.0;
    for (const auto half : halves) {
        means.push_back(mean_of(half));
        within += autocovariance(half, means.back(), 0) * count / (count - 1.0) / m;
    }
    const double centre = mean_of(means);
    double between = 0.0;  // variance of the halves' means
    for (const double mean : means) {
        between += (mean - centre) * (mean - centre) / (m - 1.0);
    }
    const double total = m * count;
    const double variance = within * (count - 1.0) / count + between;
    if (!(variance > 0.0)) {
        return {total, 1.0};
    }
    if (!(within > 0.0)) {
        return {0.0, std::numeric_limits<double>::infinity()};
    }
    const auto correlation = [&](std::size_t lag) {
        double sum = 0.0;
        for (std::size_t k = 0; k < halves.size(); ++k) {
            sum += autocovariance(halves[k], means[k], lag) * count / (count - 1.0) / m;
        }
        return 1.0 - (within - sum) / variance;
    };
    // tau = -1 + 2 sum of pairs (lag 2k, 2k + 1), which are positive and fall for a chain that can
    // be reversed; noise ends them.
    double tau = -1.0, last = std::numeric_limits<double>::infinity();
    for (std::size_t lag = 0; lag + 1 < n; lag += 2) {
        const double pair = (lag == 0 ? 1.0 : correlation(lag)) + correlation(lag + 1);
        if (!(pair > 0.0)) {
            break;
        }
        last = std::min(last, pair);
        tau += 2.0 * last;
    }
    // More than the draws there are, as of antithetic ones, is not believed beyond log10 of them.
    const double most = total * std::log10(std::max(10.0, total));
    return {std::min(most, total / std::max(tau, 1e-12)), std::sqrt(variance / within)};
}

std::vector<double> quantiles(std::vector<double>& values, std::span<const double> parts) {
    std::ranges::sort(values);
    std::vector<double> found;
    for (const double part : parts) {
        const double at = part * static_cast<double>(values.size() - 1);
        const auto k = static_cast<std::size_t>(at);
        const double rest = at - static_cast<double>(k);
        found.push_back(values[k] +
                        (k + 1 < values.size() ? rest * (values[k + 1] - values[k]) : 0.0));
    }
    return found;
}

}  // namespace kaname::posterior
