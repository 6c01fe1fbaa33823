// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/rupture/fault_setup.hpp"
#include "solvers/rupture/kernels/rate_and_state.hpp"
#include "solvers/rupture/kernels/real_math.hpp"
#include "solvers/rupture/kernels/slip_weakening.hpp"

namespace kaname::rupture::kernels {

/// One point (Real = double), or as many as a register holds, in one step. At each time node
///   tau = tau0 + G nucleation + locked,    tau_s(V, state) + eta V = |tau|,    V >= 0,
/// the slip rate is V along tau and the traction tau - eta V. `stride` numbers apart lie: given
/// [Given::kFields], kept [Kept::kFields], locked [times][3], mean_rate [2]. Law is one of
/// SlipWeakening<Real> and RateAndState<Real, ...>.
template <class Law, class Real>
KANAME_HD inline void friction_body(const FrictionStep& step, double eta, const double* given,
                                    double* kept, const double* locked, double* mean_rate,
                                    int stride) {
    const double per_eta = 1.0 / eta;
    const Real zero = all<Real>(0.0), threshold = all<Real>(step.rupture_rate);
    const Real normal0 = read<Real>(given + Given::kNormal * stride);
    const Real strike0 = read<Real>(given + Given::kStrike * stride);
    const Real dip0 = read<Real>(given + Given::kDip * stride);
    const Real nucleation_strike = read<Real>(given + Given::kNucleationStrike * stride);
    const Real nucleation_dip = read<Real>(given + Given::kNucleationDip * stride);
    Real strike_rate = read<Real>(kept + Kept::kRateStrike * stride);
    Real dip_rate = read<Real>(kept + Kept::kRateDip * stride);
    Real rate = square_root(strike_rate * strike_rate + dip_rate * dip_rate), before = rate;
    Real peak = read<Real>(kept + Kept::kPeakRate * stride);
    Real rupture = read<Real>(kept + Kept::kRuptureTime * stride);
    Real slip_strike = zero, slip_dip = zero, path = zero, friction = zero, released = zero;
    Real normal = normal0, strike = strike0, dip = dip0;
    Law law(step, given, kept, stride, rate);

    for (int l = 0; l < step.n_times; ++l) {
        const TimeNode& node = step.nodes[l];
        const double* here = locked + 3 * l * stride;
        // The driving traction is the initial one and the nucleation's, before waves take a part of
        // it.
        const Real driving_strike = strike0 + node.nucleation * nucleation_strike;
        const Real driving_dip = dip0 + node.nucleation * nucleation_dip;
        normal = normal0 + read<Real>(here);
        strike = driving_strike + read<Real>(here + stride);
        dip = driving_dip + read<Real>(here + 2 * stride);
        const Real shear = square_root(strike * strike + dip * dip);
        before = rate;
        rate = law.advance(node, shear, larger(-normal, zero), per_eta, rate);

        const Real along = rate / larger(shear, all<Real>(1e-290));
        strike_rate = along * strike;
        dip_rate = along * dip;
        strike = strike - eta * strike_rate;
        dip = dip - eta * dip_rate;

        slip_strike += node.weight_s * strike_rate;
        slip_dip += node.weight_s * dip_rate;
        path += node.weight_s * rate;
        friction += node.weight_s * (strike * strike_rate + dip * dip_rate);
        released += node.weight_s *
                    ((driving_strike - strike) * strike_rate + (driving_dip - dip) * dip_rate);
        peak = larger(peak, rate);
        // On the line between the two rates, where it passes the threshold.
        const auto starts = (rupture < zero) & !(rate < threshold);
        if (any(starts)) {
            const Real rise = larger(rate - before, all<Real>(1e-290));
            const Real back = smaller((rate - threshold) / rise, all<Real>(1.0));
            rupture = select(starts, node.time_s - (node.time_s - node.before_s) * back, rupture);
        }
    }

    const auto add = [&](int field, const Real& more) {
        double* place = kept + field * stride;
        write(place, read<Real>(place) + more);
    };
    // A rate that has changed much in the last interval goes on changing, but not by as much.
    const Real end =
        smaller(larger(rate + step.end_growth * (rate - before), 0.5 * rate), 2.0 * rate);
    law.finish(step.end_s, end, kept, stride);
    add(Kept::kSlipStrike, slip_strike);
    add(Kept::kSlipDip, slip_dip);
    add(Kept::kPath, path);
    add(Kept::kFriction, friction);
    add(Kept::kReleased, released);
    write(kept + Kept::kRateStrike * stride, strike_rate);
    write(kept + Kept::kRateDip * stride, dip_rate);
    write(kept + Kept::kPeakRate * stride, peak);
    write(kept + Kept::kRuptureTime * stride, rupture);
    write(kept + Kept::kNormalNow * stride, normal);
    write(kept + Kept::kStrikeNow * stride, strike);
    write(kept + Kept::kDipNow * stride, dip);
    write(mean_rate, step.per_dt * slip_strike);
    write(mean_rate + stride, step.per_dt * slip_dip);
}

}  // namespace kaname::rupture::kernels
