// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/rupture/kernels/real_math.hpp"

namespace kaname::rupture::kernels {

/// Slip rate V of rate-and-state friction with radiation damping,
///   A asinh(V/(2 V0) e^p) + V = R,    A = a max(0, -sigma_n)/eta,  R = |tau|/eta,  p = psi/a.
///
/// Solved for y = mu/a, V = V0 (e^(y - p) - e^(-y - p)), where g(y) = A y + V(y) - R is increasing
/// and convex: Newton's iterates from above fall to the root, and one from below goes above. They
/// are held below what friction alone and damping alone would allow, y <= R/A and
/// y <= p + ln(R/V0 + e^-p), so that at most a few are needed from anywhere. Steps end below
/// 1/64: the rest is a root of a series in them, without exponentials.
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
        const Real zero = all<Real>(0.0), near = all<Real>(1.0 / 64);
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
            const auto ends = open & (larger(step, -step) < near);
            const Rest rest = rest_of(step, v, slope, direct, per_slope);
            rate = select(ends, larger(v - rest.rate, zero), rate);
            const Real here = select(ends, y_ - rest.y, y_);
            open = open & !ends;
            if (!any(open)) {
                y_ = here;
                break;
            }
            y_ = select(open, smaller(larger(y_ - step, zero), top(direct, limit)), here);
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
        const Real more = off * (1.0 + d * (v + d * (v * v - 0.5 * c)));  // off g'(y)/g'(y - d)
        return {d - more, change - more * (slope + slope * cosh_less - rate * sinh)};
    }

    Real v0_, p_, y_;
};

}  // namespace kaname::rupture::kernels
