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
/// 1/32: the rest is a root of a series in them, without exponentials.
template <class Real>
class RateSolve {
public:
    /// From a rate at which p was so: a first guess.
    KANAME_HD RateSolve(const Real& v0, const Real& p, const Real& rate)
        : v0_(v0), p_(least(p)), y_(p_ + logarithm(rate / v0 + exponential(-p_))) {}

    KANAME_HD Real operator()(const Real& direct, const Real& limit, const Real& p) {
        constexpr int kMostSteps = 40;
        const Real zero = all<Real>(0.0), near = all<Real>(0.03125);
        // The guess keeps the rate.
        y_ = larger(y_ + (least(p) - p_), zero);
        p_ = least(p);
        Real rate = zero;
        auto open = zero < near;
        for (int k = 0; k < kMostSteps && any(open); ++k) {
            const Real up = v0_ * exponential(y_ - p_), down = v0_ * exponential(-(y_ + p_));
            const Real slope = up + down;  // dV/dy, and V but for its sign
            const Real v = sliding(up - down);
            const Real step = (direct * y_ + v - limit) / (kLeast + (direct + slope));
            const Real size = larger(step, -step);
            const auto ends = open & (size < near);
            if (any(ends)) {
                const Real d = refined(step, v, slope, direct);
                rate = select(ends, v - change(d, v, slope), rate);
                y_ = select(ends, y_ - d, y_);
            }
            open = open & !ends;
            if (any(open)) {
                y_ = select(open, smaller(larger(y_ - step, zero), top(direct, limit)), y_);
            }
        }
        y_ = larger(y_, zero);
        return larger(rate, zero);
    }

private:
    static constexpr double kLeast = 1e-290;  // for quotients of nothing by nothing

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
    /// V(y) - V(y - d) = slope sinh d - v (cosh d - 1).
    KANAME_HD static Real change(const Real& d, const Real& v, const Real& slope) {
        constexpr double kSinh[4] = {1.0, 1.0 / 6, 1.0 / 120, 1.0 / 5040};
        constexpr double kCosh[4] = {1.0 / 2, 1.0 / 24, 1.0 / 720, 1.0 / 40320};
        const Real square = d * d;
        return slope * (d * series(square, kSinh)) - v * (square * series(square, kCosh));
    }
    /// d with direct d + V(y) - V(y - d) = g(y), `step` = g/g': Newton twice, whose errors are
    /// step^2/2, then half the square, and half the square of that.
    KANAME_HD Real refined(const Real& step, const Real& v, const Real& slope,
                           const Real& direct) const {
        const Real all_slope = kLeast + (direct + slope), g = step * all_slope;
        Real d = step;
        KANAME_UNROLL(2)
        for (int k = 0; k < 2; ++k) {
            const Real square = d * d;
            const Real here =
                direct + slope * (1.0 + 0.5 * square) - v * (d + (1.0 / 6) * (square * d));
            d = d - (direct * d + change(d, v, slope) - g) / (kLeast + here);
        }
        return d;
    }

    Real v0_, p_, y_;
};

}  // namespace kaname::rupture::kernels
