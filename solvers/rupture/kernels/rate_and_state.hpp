// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "solvers/rupture/fault_setup.hpp"
#include "solvers/rupture/kernels/real_math.hpp"
#include "solvers/rupture/kernels/slip_weakening.hpp"

namespace kaname::rupture::kernels {

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

}  // namespace kaname::rupture::kernels
