// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "solvers/viscoelastic/kernels/lane_steps.hpp"

namespace kaname::viscoelastic {

using lanes::kLanes;

void spread_first_lane_cpu(device::View<double> x) {
    const auto n = static_cast<std::int64_t>(x.size());
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; i += kLanes) {
        std::fill_n(x.data() + i, kLanes, x[i]);
    }
}

void take_first_lane_cpu(device::View<const double> x, device::View<double> first) {
    const auto n = static_cast<std::int64_t>(first.size());
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) {
        first[i] = x[i * kLanes];
    }
}

void shift_lanes_cpu(const LaneShift& shift, device::View<double> x) {
    const auto n = static_cast<std::int64_t>(x.size() / kLanes);
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) {
        double* lane = x.data() + i * kLanes;
        std::rotate(lane, lane + 1, lane + kLanes);
        double& newest = lane[kLanes - 1];
        newest = 0.0;
        if (shift.newest == NewestLane::Line) {
            for (int k = 0; k < LaneShift::kTerms; ++k) {
                newest += shift.weight[k] * shift.increment[k][i];
            }
        } else if (shift.newest == NewestLane::Ab2 && kLanes > 2) {
            newest = 2.0 * lane[kLanes - 2] - lane[kLanes - 3];
        }
    }
}

}  // namespace kaname::viscoelastic
