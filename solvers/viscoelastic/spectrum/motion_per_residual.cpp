// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/spectrum/motion_per_residual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kaname::viscoelastic {
namespace {

// Distance in ln g below which samples count alike.
constexpr double kNear = 0.3;

}  // namespace

void MotionPerResidual::add(std::span<const double> g, const LaneNorms& motion,
                            const LaneNorms& residual) {
    Sample sample;
    for (const double of : g) {
        sample.log_g.push_back(std::log(of));
    }
    for (int lane = 0; lane < lanes::kLanes; ++lane) {
        sample.motion[lane] = residual[lane] > 0.0 ? motion[lane] / residual[lane] : 0.0;
    }
    samples_.push_back(std::move(sample));
}

LaneNorms MotionPerResidual::at(std::span<const double> g) const {
    LaneNorms sum{}, weights{}, result{};
    if (samples_.empty()) {
        result.fill(std::numeric_limits<double>::infinity());
        return result;
    }
    for (const Sample& sample : samples_) {
        double softer = 0.0, distance = 0.0;  // in ln g
        for (std::size_t j = 0; j < g.size(); ++j) {
            const double apart = sample.log_g[j] - std::log(g[j]);
            softer = std::max(softer, apart);
            distance = std::max(distance, std::abs(apart));
        }
        const double weight = std::pow(distance + kNear, -4.0);
        for (int lane = 0; lane < lanes::kLanes; ++lane) {
            if (sample.motion[lane] > 0.0) {
                sum[lane] += weight * (std::log(sample.motion[lane]) + softer);
                weights[lane] += weight;
            }
        }
    }
    for (int lane = 0; lane < lanes::kLanes; ++lane) {
        result[lane] = weights[lane] > 0.0 ? std::exp(sum[lane] / weights[lane]) : 0.0;
    }
    return result;
}

}  // namespace kaname::viscoelastic
