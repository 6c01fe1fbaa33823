// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/device/hd.hpp"

namespace kaname::rupture::kernels {

inline constexpr int kMostTimes = 8;

/// A time within a step where friction is solved, and the interval before it.
struct TimeNode {
    double time_s = 0.0;
    double before_s = 0.0;    ///< time of the slip rate before, in the last step for the first node
    double interval_s = 0.0;  ///< from the node before, from the step's beginning for the first
    double share_before = 0.5;  ///< the interval's mean rate is this times the one before and the
                                ///< rest times the one at the node
    double weight_s = 0.0;      ///< of the time integral
    double nucleation = 1.0;    ///< G(t)
};

/// One step, alike for all points of a face and for all faces of a cluster.
struct FrictionStep {
    int n_times = 0;
    TimeNode nodes[kMostTimes];
    double per_dt = 0.0;             ///< 1/dt
    double end_s = 0.0;              ///< from the last node to the step's end
    double end_growth = 0.0;         ///< there the mean rate is V + end_growth (V - the one before)
    double per_forced_growth = 0.0;  ///< 1/FaultSetup::forced_growth_s
    double rupture_rate = 0.0;       ///< FaultSetup::rupture_rate_m_per_s
};

}  // namespace kaname::rupture::kernels
