// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cmath>

#include "solvers/device/hd.hpp"
#include "solvers/rupture/fault_setup.hpp"
#include "solvers/rupture/kernels/real_math.hpp"

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

/// Linear slip weakening of a point, tau_s = cohesion + mu max(0, -sigma_n),
///   mu = mu_s - (mu_s - mu_d) max(min(path/Dc, 1), f2),    f2 = (t - forced)/growth in 0..1.
template <class Real>
class SlipWeakening {
public:
    KANAME_HD SlipWeakening(const FrictionStep& step, const double* given, const double* kept,
                            int stride, const Real& /*rate*/)
        : static_(read<Real>(given + Given::kStatic * stride)),
          drop_(read<Real>(given + Given::kDrop * stride)),
          per_slip_(read<Real>(given + Given::kPerSlip * stride)),
          cohesion_(read<Real>(given + Given::kCohesion * stride)),
          forced_(read<Real>(given + Given::kForced * stride)),
          weakened_(read<Real>(kept + Kept::kPath * stride) * per_slip_),
          per_growth_(step.per_forced_growth) {}

    /// Slip rate at a node, by Heun's rule from the one before (`last`).
    KANAME_HD Real advance(const TimeNode& node, const Real& shear, const Real& pressure,
                           double per_eta, const Real& last) {
        const Real zero = all<Real>(0.0), one = all<Real>(1.0);
        const Real forced = smaller(larger(per_growth_ * (node.time_s - forced_), zero), one);
        // V = unweakened + gain max(min(path/Dc, 1), f2), so that little waits for the rate before.
        const Real unweakened = per_eta * (shear - (cohesion_ + pressure * static_));
        const Real gain = per_eta * (pressure * drop_);
        const auto rate_at = [&](const Real& weakened) {
            return larger(unweakened + gain * larger(smaller(weakened, one), forced), zero);
        };
        const Real per_rate = node.interval_s * per_slip_;
        const Real guess = rate_at(weakened_ + per_rate * last);
        weakened_ += per_rate * (node.share_before * last + (1.0 - node.share_before) * guess);
        return rate_at(weakened_);
    }
    KANAME_HD void finish(double /*interval_s*/, const Real& /*mean*/, double* /*kept*/,
                          int /*stride*/) const {}

private:
    Real static_, drop_, per_slip_, cohesion_, forced_;
    Real weakened_;  // path/Dc at the last node; that of the step's end has the integral of rates
    double per_growth_;
};

}  // namespace kaname::rupture::kernels
