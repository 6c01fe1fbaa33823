// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/rupture/fault_layout.hpp"
#include "solvers/rupture/kernels/friction_step.hpp"
#include "solvers/rupture/kernels/rate_solve.hpp"
#include "solvers/rupture/kernels/real_math.hpp"

/// Rate and state, mu = a asinh(V/(2 V0) exp(psi/a)). How psi evolves while V is constant is a
/// class of its own, whose after(V, h) is psi after a time h.
namespace kaname::rupture::kernels {

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
