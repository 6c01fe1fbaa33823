// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "solvers/device/hd.hpp"

namespace kaname::rupture::kernels {

inline constexpr int kMostTimes = 8;

/// A time within a step where friction is solved, and the interval before it.
struct TimeNode {
    double x = 0.0, x_before = 0.0;  ///< its place and that of the slip rate before, in steps
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

/// G(t) = exp((t - T)^2/(t (t - 2 T))), 0 up to t = 0 and 1 from T on: how a traction that starts a
/// rupture grows; all derivatives are continuous.
KANAME_HD inline double nucleation_growth(double t_s, double duration_s) {
    if (t_s >= duration_s) {
        return 1.0;
    }
    if (t_s <= 0.0) {
        return 0.0;
    }
    const double to_go = t_s - duration_s;
    return exp(to_go * to_go / (t_s * (t_s - 2.0 * duration_s)));
}

/// Sets the members of a time node that depend on when its step begins.
KANAME_HD inline void place_in_time(TimeNode& node, double t_s, double dt_s, double nucleation_s) {
    const double before_s = t_s + dt_s * node.x_before;
    node.time_s = t_s + dt_s * node.x;
    node.before_s = before_s < 0.0 ? 0.0 : before_s;
    node.nucleation = nucleation_growth(node.time_s, nucleation_s);
}

}  // namespace kaname::rupture::kernels
