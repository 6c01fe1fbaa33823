// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/rupture/time_nodes.hpp"

#include <algorithm>

namespace kaname::rupture {

kernels::FrictionStep friction_step(const FaultRule& rule, const FaultSetup& setup, double t_s,
                                    double dt_s) {
    // A fall at once takes a picosecond.
    constexpr double kLeastGrowth = 1e-12;
    kernels::FrictionStep step;
    step.n_times = rule.n_times();
    const double behind = 1.0 - rule.times.back();  // in the step before, as in this one
    double last = -behind;
    for (int l = 0; l < step.n_times; ++l) {
        const double x = rule.times[l];
        const double interval = x - std::max(last, 0.0);
        kernels::TimeNode& node = step.nodes[l];
        node.x = x;
        node.x_before = last;
        kernels::place_in_time(node, t_s, dt_s, setup.nucleation_s);
        node.interval_s = dt_s * interval;
        // The mean over the interval of the line through the rates at `last` and x.
        node.share_before = 0.5 * interval / (x - last);
        node.weight_s = dt_s * rule.time_weights[l];
        step.end_growth = 0.5 * behind / (x - last);
        last = x;
    }
    step.per_dt = 1.0 / dt_s;
    step.end_s = dt_s * behind;
    step.per_forced_growth = 1.0 / std::max(setup.forced_growth_s, kLeastGrowth);
    step.rupture_rate = setup.rupture_rate_m_per_s;
    return step;
}

}  // namespace kaname::rupture
