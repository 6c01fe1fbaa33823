// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/rupture/fault_layout.hpp"
#include "solvers/rupture/kernels/friction_step.hpp"
#include "solvers/rupture/kernels/real_math.hpp"

namespace kaname::rupture::kernels {

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
