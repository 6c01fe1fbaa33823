// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/greens/time_interpolation.hpp"

#include <algorithm>
#include <string>

#include "solvers/base/error.hpp"

namespace kaname::jobs {

TimeInterpolation::TimeInterpolation(std::span<const double> steps_s,
                                     std::span<const double> epochs_s) {
    const std::size_t count = std::min<std::size_t>(4, steps_s.size());
    constexpr double kRounding = 1e-9;
    for (const double epoch : epochs_s) {
        if (steps_s.size() == 1) {
            stencils_.push_back({0, {1.0}});
            continue;
        }
        const double slack = kRounding * steps_s.back();
        if (epoch < steps_s.front() - slack || epoch > steps_s.back() + slack) {
            throw Error(ErrorCode::InvalidArgument,
                        "time.epochs_s must lie in the solved range 0.." +
                            std::to_string(steps_s.back()) + " s, got " + std::to_string(epoch));
        }
        const auto after = static_cast<std::size_t>(
            std::upper_bound(steps_s.begin(), steps_s.end(), epoch) - steps_s.begin());
        const std::size_t first =
            std::min(after > count / 2 ? after - count / 2 : 0, steps_s.size() - count);
        // Lagrange weights: w_k = prod_(j != k) (t - t_j) / (t_k - t_j)
        std::vector<double> weights(count, 1.0);
        for (std::size_t k = 0; k < count; ++k) {
            for (std::size_t j = 0; j < count; ++j) {
                if (j != k) {
                    weights[k] *=
                        (epoch - steps_s[first + j]) / (steps_s[first + k] - steps_s[first + j]);
                }
            }
        }
        stencils_.push_back({first, std::move(weights)});
    }
}

std::vector<double> TimeInterpolation::apply(std::span<const double> values,
                                             std::size_t width) const {
    std::vector<double> result(stencils_.size() * width, 0.0);
    for (std::size_t epoch = 0; epoch < stencils_.size(); ++epoch) {
        const Stencil& stencil = stencils_[epoch];
        for (std::size_t k = 0; k < stencil.weights.size(); ++k) {
            const double* row = values.data() + (stencil.first + k) * width;
            for (std::size_t i = 0; i < width; ++i) {
                result[epoch * width + i] += stencil.weights[k] * row[i];
            }
        }
    }
    return result;
}

std::vector<double> TimeInterpolation::rows(std::size_t n_steps) const {
    std::vector<double> result(stencils_.size() * n_steps, 0.0);
    for (std::size_t epoch = 0; epoch < stencils_.size(); ++epoch) {
        const Stencil& stencil = stencils_[epoch];
        std::copy(stencil.weights.begin(), stencil.weights.end(),
                  result.begin() + static_cast<std::ptrdiff_t>(epoch * n_steps + stencil.first));
    }
    return result;
}

}  // namespace kaname::jobs
