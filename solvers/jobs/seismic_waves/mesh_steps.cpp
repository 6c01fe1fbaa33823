// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/seismic_waves/mesh_steps.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kaname::jobs {
namespace {

constexpr int kWiggles = 50;

aderdg::Clusters with_step(double step_s, std::span<const double> largest_s,
                           std::span<const double> count) {
    constexpr double kRounding = 1e-12;  // a step of just twice the smallest is in cluster 1
    std::vector<double> sums;
    for (std::size_t k = 0; k < largest_s.size(); ++k) {
        const auto c =
            static_cast<std::size_t>(std::ilogb(largest_s[k] / step_s * (1.0 + kRounding)));
        sums.resize(std::max(sums.size(), c + 1));
        sums[c] += count[k];
    }
    aderdg::Clusters clusters;
    clusters.step_s = step_s;
    for (const double sum : sums) {
        clusters.elements.push_back(std::llround(sum));
    }
    return clusters;
}

}  // namespace

double updates_per_s(const aderdg::Clusters& clusters) {
    return static_cast<double>(clusters.updates()) / clusters.macro_step_s();
}

double gain_of(const aderdg::Clusters& clusters) {
    double tets = 0.0;
    for (const std::int64_t count : clusters.elements) {
        tets += static_cast<double>(count);
    }
    return tets / clusters.step_s / updates_per_s(clusters);
}

aderdg::Clusters clusters_of_steps(std::span<const double> largest_s, std::span<const double> count,
                                   double least_wiggle) {
    const double smallest_s = std::ranges::min(largest_s);
    aderdg::Clusters best = with_step(smallest_s, largest_s, count);
    for (int k = 1; k < kWiggles; ++k) {
        const double wiggle = 1.0 - (1.0 - least_wiggle) * k / (kWiggles - 1);
        aderdg::Clusters other = with_step(wiggle * smallest_s, largest_s, count);
        if (updates_per_s(other) < updates_per_s(best)) {
            best = std::move(other);
        }
    }
    return best;
}

}  // namespace kaname::jobs
