// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/posterior/correlation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"

namespace kaname::posterior {
namespace {

constexpr int kLengths = 6;
constexpr double kExponential = 0.5, kSmooth = 1.5;  // roughness

/// Mean distance of a patch to its nearest one [m].
double patch_size(std::span<const Vec3> centres) {
    double sum = 0.0;
    for (std::size_t p = 0; p < centres.size(); ++p) {
        double nearest = std::numeric_limits<double>::infinity();
        for (std::size_t q = 0; q < centres.size(); ++q) {
            nearest = q == p ? nearest : std::min(nearest, norm(centres[q] - centres[p]));
        }
        sum += nearest;
    }
    return sum / static_cast<double>(centres.size());
}

}  // namespace

std::vector<Correlation> correlation_choices(std::span<const Vec3> centres, const Vec3& strike) {
    if (centres.size() < 2) {
        return {{kExponential, 1.0}};
    }
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (const Vec3& centre : centres) {
        const double along = dot(centre, strike);
        least = std::min(least, along);
        most = std::max(most, along);
    }
    const double size = patch_size(centres);
    const double shortest = 0.5 * size;
    const double longest = std::max(0.5 * (most - least + size), size);
    std::vector<Correlation> choices;
    for (const double roughness : {kExponential, kSmooth}) {
        for (int k = 0; k < kLengths; ++k) {
            choices.push_back(
                {roughness,
                 shortest * std::pow(longest / shortest, k / static_cast<double>(kLengths - 1))});
        }
    }
    return choices;
}

Eigen::MatrixXd matern(std::span<const Vec3> centres, const Vec3& strike,
                       const Correlation& correlation) {
    const auto n = static_cast<Eigen::Index>(centres.size());
    Eigen::MatrixXd k(n, n);
    for (Eigen::Index p = 0; p < n; ++p) {
        for (Eigen::Index q = 0; q <= p; ++q) {
            const Vec3 apart =
                centres[static_cast<std::size_t>(p)] - centres[static_cast<std::size_t>(q)];
            const double along = dot(apart, strike);
            const double across2 = std::max(0.0, dot(apart, apart) - along * along);
            const double r =
                std::sqrt(along * along + across2 / (kDownDip * kDownDip)) / correlation.length_m;
            if (correlation.roughness == kExponential) {
                k(p, q) = std::exp(-r);
            } else if (correlation.roughness == kSmooth) {
                const double scaled = std::sqrt(3.0) * r;
                k(p, q) = (1.0 + scaled) * std::exp(-scaled);
            } else {
                throw Error(ErrorCode::Internal, "roughness must be 0.5 or 1.5, got " +
                                                     std::to_string(correlation.roughness));
            }
            k(q, p) = k(p, q);
        }
    }
    return k;
}

Vec3 mean_strike(std::span<const double> strikes_deg) {
    double c = 0.0, s = 0.0;
    for (const double strike_deg : strikes_deg) {
        c += std::cos(2.0 * strike_deg * kDegree);
        s += std::sin(2.0 * strike_deg * kDegree);
    }
    const double mean = 0.5 * std::atan2(s, c);
    return {std::sin(mean), std::cos(mean), 0.0};
}

}  // namespace kaname::posterior
