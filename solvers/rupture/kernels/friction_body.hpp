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

/// Slip rate V of rate-and-state friction with radiation damping,
///   A asinh(V/(2 V0) e^p) + V = R,    A = a max(0, -sigma_n)/eta,  R = |tau|/eta,  p = psi/a.
///
/// Solved for y = mu/a, V = V0 (e^(y - p) - e^(-y - p)), where g(y) = A y + V(y) - R is increasing
/// and convex: Newton's iterates from above fall to the root, and one from below goes above. They
/// are held below what friction alone and damping alone would allow, y <= R/A and
/// y <= p + ln(R/V0 + e^-p), so that at most a few are needed from anywhere. Steps end below
/// 1/32: the rest is a root of a series in them, without exponentials.
template <class Real>
class RateSolve {
public:
    /// From a rate at which p was so: a first guess.
    KANAME_HD RateSolve(const Real& v0, const Real& p, const Real& rate)
        : v0_(v0), p_(least(p)), y_(p_ + logarithm(rate / v0 + exponential(-p_))) {}

    /// The rate where `open`, `rate` elsewhere, where p must be what it was.
    template <class Mask>
    KANAME_HD Real operator()(const Real& direct, const Real& limit, const Real& p, Mask open,
                              Real rate) {
        constexpr int kMostSteps = 40;
        const Real zero = all<Real>(0.0), near = all<Real>(1.0 / 32);
        // The guess keeps the rate.
        y_ = larger(y_ + (least(p) - p_), zero);
        p_ = least(p);
        for (int k = 0; k < kMostSteps; ++k) {
            Real v = v0_ * exponential(y_ - p_), slope = v;  // and dV/dy
            if (any(y_ < all<Real>(kLarge))) {
                const Real down = v0_ * exponential(-(y_ + p_));
                slope = v + down;
                v = sliding(v - down);
            }
            const Real per_slope = all<Real>(1.0) / (kLeast + (direct + slope));
            const Real step = per_slope * (direct * y_ + v - limit);
            const Real size = larger(step, -step);
            const auto ends = open & (size < near);
            const Rest rest = rest_of(step, v, slope, direct, per_slope);
            rate = select(ends, larger(v - rest.rate, zero), rate);
            y_ = select(ends, y_ - rest.y, y_);
            open = open & !ends;
            if (!any(open)) {
                break;
            }
            Real next = larger(y_ - step, zero);
            // From far above, where all is damping, steps are 1 long.
            const auto far = open & (all<Real>(0.5) < size);
            if (any(far)) {
                next = select(far, smaller(next, top(direct, limit)), next);
            }
            y_ = select(open, next, y_);
        }
        return rate;
    }

private:
    static constexpr double kLeast = 1e-290;  // for quotients of nothing by nothing
    static constexpr double kLarge = 20.0;    // e^(-2 y) is below half of the last digit from there

    /// Below -300 there is no friction left to speak of, and e^-p is a number.
    KANAME_HD static Real least(const Real& p) { return larger(p, all<Real>(-300.0)); }

    /// 2 V0 e^-p sinh y where the difference of exponentials would cancel.
    KANAME_HD Real sliding(const Real& difference) const {
        const Real half = all<Real>(0.5);
        const auto small = y_ < half;
        if (!any(small)) {
            return difference;
        }
        constexpr double kSinh[8] = {
            1.0,          1.0 / 6,        1.0 / 120,        1.0 / 5040,
            1.0 / 362880, 1.0 / 39916800, 1.0 / 6227020800, 1.0 / 1307674368000};
        const Real y = smaller(y_, half);
        return select(small, (2.0 * v0_) * exponential(-p_) * (y * series(y * y, kSinh)),
                      difference);
    }
    KANAME_HD Real top(const Real& direct, const Real& limit) const {
        const Real damping = p_ + logarithm(limit / v0_ + exponential(-p_));
        return larger(smaller(limit / (kLeast + direct), damping), all<Real>(0.0));
    }
    struct Rest {
        Real y, rate;  // from the root to where the step begins
    };
    /// The d for which g(y - d) = 0, and V(y) - V(y - d) = slope sinh d - V (cosh d - 1). With s =
    /// g/g', v = V/g', c = slope/g' it is s + v s^2/2 + (v^2/2 - c/6) s^3 + O(s^4), from which one
    /// step of Newton's leaves O(s^7).
    KANAME_HD static Rest rest_of(const Real& s, const Real& rate, const Real& slope,
                                  const Real& direct, const Real& per_slope) {
        const Real v = per_slope * rate, c = per_slope * slope;
        const Real third = 0.5 * (v * v) - (1.0 / 6) * c;
        const Real d = s + (s * s) * (0.5 * v + third * s);
        const Real square = d * d;
        const Real sinh = d + (d * square) * (1.0 / 6 + (1.0 / 120) * square);
        const Real cosh_less = square * (0.5 + square * (1.0 / 24 + (1.0 / 720) * square));
        const Real change = slope * sinh - rate * cosh_less;
        const Real off = per_slope * (direct * d + change) - s;
        // g'(y)/g'(y - d).
        const Real second = v * v - 0.5 * c;
        const Real slopes = 1.0 + d * (v + d * (second + d * (v * (1.0 / 6 + (second - 0.5 * c)))));
        const Real more = off * slopes;
        return {d - more, change - more * (slope + slope * cosh_less - rate * sinh)};
    }

    Real v0_, p_, y_;
};

/// Rate and state, mu = a asinh(V/(2 V0) exp(psi/a)). How psi evolves while V is constant is a
/// class of its own, whose after(V, h) is psi after a time h.

/// psi' = b V0/L exp((f0 - psi)/b) - b V/L. With theta = L/V0 exp((psi - f0)/b): theta' = 1 - V
/// theta/L, so that theta(h) = theta e^-x + h (1 - e^-x)/x, x = V h/L.
template <class Real>
class Ageing {
public:
    KANAME_HD Ageing(const double* given, int stride, const Real& /*a*/, const Real& v0,
                     const Real& psi)
        : b_(read<Real>(given + Given::kB * stride)),
          per_l_(read<Real>(given + Given::kPerL * stride)),
          f0_(read<Real>(given + Given::kF0 * stride)),
          v0_per_l_(v0 * per_l_),
          scaled_(exponential((psi - f0_) / b_)) {}

    KANAME_HD Real after(const Real& rate, double h_s) {
        const Real x = h_s * (per_l_ * rate), decayed = exponential(-x);
        next_ = scaled_ * decayed + h_s * (v0_per_l_ * mean_decay(x, decayed));
        return f0_ + b_ * logarithm(next_);
    }
    KANAME_HD void take(const Real& /*psi*/) { scaled_ = next_; }

private:
    Real b_, per_l_, f0_, v0_per_l_;
    Real scaled_, next_{};  // theta V0/L
};

/// psi' = -V/L (psi - psi_ss(V)), so that psi(h) = psi + (psi_ss - psi)(1 - e^-x).
template <class Real, class SteadyState>
class Relaxing {
public:
    KANAME_HD Relaxing(const double* given, int stride, const Real& a, const Real& v0,
                       const Real& psi)
        : steady_(given, stride, a, v0),
          per_l_(read<Real>(given + Given::kPerL * stride)),
          psi_(psi) {}

    KANAME_HD Real after(const Real& rate, double h_s) const {
        const Real x = h_s * (per_l_ * rate), decayed = exponential(-x);
        return psi_ + (x * mean_decay(x, decayed)) * (steady_.psi(rate) - psi_);
    }
    KANAME_HD void take(const Real& psi) { psi_ = psi; }

private:
    SteadyState steady_;
    Real per_l_, psi_;
};

/// psi_ss = f0 - b ln(V/V0).
template <class Real>
class LogarithmicSteadyState {
public:
    KANAME_HD LogarithmicSteadyState(const double* given, int stride, const Real& /*a*/,
                                     const Real& v0)
        : b_(read<Real>(given + Given::kB * stride)),
          f0_(read<Real>(given + Given::kF0 * stride)),
          per_v0_(all<Real>(1.0) / v0) {}
    KANAME_HD Real psi(const Real& rate) const { return f0_ - b_ * logarithm(rate * per_v0_); }

private:
    Real b_, f0_, per_v0_;
};

/// psi_ss = a ln((2 V0/V) sinh(mu_ss/a)),
///   mu_ss = mu_w + (f0 - (b - a) ln(V/V0) - mu_w)/(1 + (V/V_w)^8)^(1/8).
template <class Real>
class WeakenedSteadyState {
public:
    KANAME_HD WeakenedSteadyState(const double* given, int stride, const Real& a, const Real& v0)
        : a_(a),
          b_(read<Real>(given + Given::kB * stride)),
          f0_(read<Real>(given + Given::kF0 * stride)),
          weakened_(read<Real>(given + Given::kWeakened * stride)),
          per_v0_(all<Real>(1.0) / v0),
          per_weakening_(all<Real>(1.0) / read<Real>(given + Given::kWeakeningRate * stride)) {}

    KANAME_HD Real psi(const Real& rate) const {
        const Real log_rate = logarithm(rate * per_v0_);
        // More than 1e30 times V_w is as good as any more, and its 8th power is a number.
        const Real ratio = smaller(rate * per_weakening_, all<Real>(1e30));
        const Real squared = ratio * ratio, fourth = squared * squared;
        const Real root = square_root(square_root(square_root(1.0 + fourth * fourth)));
        const Real friction =
            larger(weakened_ + (f0_ - (b_ - a_) * log_rate - weakened_) / root, all<Real>(0.0));
        // ln(2 sinh m) = m + ln(1 - e^(-2 m)).
        const Real folded = 1.0 - exponential(-2.0 * (friction / a_));
        return friction + a_ * (logarithm(folded) - log_rate);
    }

private:
    Real a_, b_, f0_, weakened_, per_v0_, per_weakening_;
};

template <class Real, template <class> class Evolution>
class RateAndState {
public:
    KANAME_HD RateAndState(const FrictionStep& /*step*/, const double* given, const double* kept,
                           int stride, const Real& rate)
        : a_(read<Real>(given + Given::kA * stride)),
          v0_(read<Real>(given + Given::kV0 * stride)),
          per_a_(all<Real>(1.0) / a_),
          per_l_(read<Real>(given + Given::kPerL * stride)),
          psi_(read<Real>(kept + Kept::kPsi * stride)),
          evolution_(given, stride, a_, v0_, psi_),
          solve_(v0_, per_a_ * psi_, rate) {}

    /// Slip rate at a node: the state goes on with the rate before, the rate that this gives, and
    /// both once more with the mean of the two.
    KANAME_HD Real advance(const TimeNode& node, const Real& shear, const Real& pressure,
                           double per_eta, const Real& last) {
        // V h/L that differs by less moves psi by less than its last digit.
        constexpr double kStill = 1e-16;
        const Real direct = per_eta * (a_ * pressure), limit = per_eta * shear;
        const Real zero = all<Real>(0.0);
        const double h = node.interval_s, before = node.share_before;
        psi_ = evolution_.after(last, h);
        Real rate = solve_(direct, limit, per_a_ * psi_, zero < all<Real>(1.0), zero);
        const Real change = (1.0 - before) * (rate - last);
        const auto moves = all<Real>(kStill) < (h * per_l_) * larger(change, -change);
        if (any(moves)) {
            psi_ = evolution_.after(select(moves, last + change, last), h);
            rate = solve_(direct, limit, per_a_ * psi_, moves, rate);
        }
        evolution_.take(psi_);
        return rate;
    }
    KANAME_HD void finish(double interval_s, const Real& mean, double* kept, int stride) {
        write(kept + Kept::kPsi * stride, evolution_.after(mean, interval_s));
    }

private:
    Real a_, v0_, per_a_, per_l_, psi_;
    Evolution<Real> evolution_;
    RateSolve<Real> solve_;
};

template <class Real>
using SlipLaw = Relaxing<Real, LogarithmicSteadyState<Real>>;
template <class Real>
using FastWeakening = Relaxing<Real, WeakenedSteadyState<Real>>;

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
