// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstring>

#include "solvers/device/hd.hpp"

/// One text of arithmetic for one point on a GPU (Real = double) and for several on a CPU (Real =
/// Pack<double>, solvers/parallel/pack.hpp): what packs have of choices, for double, and
/// exponential and logarithm for both. No branches but on what all lanes agree on.
namespace kaname::rupture::kernels {

KANAME_HD inline bool any(bool mask) {
    return mask;
}
KANAME_HD inline double select(bool mask, double yes, double no) {
    return mask ? yes : no;
}
KANAME_HD inline double smaller(double a, double b) {
    return a < b ? a : b;
}
KANAME_HD inline double larger(double a, double b) {
    return a < b ? b : a;
}
KANAME_HD inline double square_root(double a) {
    return sqrt(a);
}
KANAME_HD inline double power_of_two(double shifted) {
    unsigned long long bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits << 52) + (1023ULL << 52);
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}
KANAME_HD inline double mantissa(double a, double& exponent) {
    constexpr long long kRootOfHalf = 0x3FE6A09E00000000;
    long long bits;
    memcpy(&bits, &a, sizeof bits);
    const long long k = (bits - kRootOfHalf) >> 52;
    exponent = static_cast<double>(k);
    bits -= k * (1LL << 52);
    double m;
    memcpy(&m, &bits, sizeof m);
    return m;
}

/// Returns `value` in all lanes.
template <class Real>
KANAME_HD inline Real all(double value) {
    return value + Real{};
}

template <class Real>
KANAME_HD inline Real read(const double* from) {
    Real value;
    memcpy(static_cast<void*>(&value), from, sizeof value);
    return value;
}
template <class Real>
KANAME_HD inline void write(double* to, const Real& value) {
    memcpy(to, &value, sizeof value);
}

// ln 2 in two parts, the first with 20 zero bits at its end: k times it is exact.
inline constexpr double kLn2High = 0x1.62e42fefap-1, kLn2Low = 0x1.cf79abc9e3b3ap-40;

/// sum_k c[k] x^k by pairs, c[0] the lowest: half as long to wait for as Horner's rule.
template <int n, class Real>
KANAME_HD inline Real series(const Real& x, const double (&c)[n]) {
    static_assert(n % 2 == 0);
    const Real square = x * x;
    Real sum = c[n - 2] + c[n - 1] * x;
    KANAME_UNROLL(16)
    for (int k = n - 4; k >= 0; k -= 2) {
        sum = (c[k] + c[k + 1] * x) + square * sum;
    }
    return sum;
}

/// e^x to 1.5 units in the last place; below -708 and above 709 the value there, so that nothing
/// that is computed from it overflows by itself. With k = x/ln 2 rounded, e^x = 2^k e^r,
/// |r| <= ln(2)/2, and Taylor's series up to r^13.
template <class Real>
KANAME_HD inline Real exponential(const Real& argument) {
    constexpr double kPerLn2 = 0x1.71547652b82fep0, kShift = 0x1.8p52;
    const Real x = smaller(larger(argument, all<Real>(-708.0)), all<Real>(709.0));
    const Real shifted = kShift + kPerLn2 * x;
    const Real k = -kShift + shifted;
    const Real r = (x - kLn2High * k) - kLn2Low * k;
    constexpr double kTaylor[12] = {1.0 / 2,        1.0 / 6,         1.0 / 24,
                                    1.0 / 120,      1.0 / 720,       1.0 / 5040,
                                    1.0 / 40320,    1.0 / 362880,    1.0 / 3628800,
                                    1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
    return power_of_two(shifted) * (1.0 + (r + (r * r) * series(r, kTaylor)));
}

/// ln x to a unit in the last place; of anything below 2.3e-308 the value there. With x = m 2^k,
/// f = m - 1, s = f/(2 + f): ln m = 2 artanh s = f - s (f - R), R = 2 sum_(j>0) s^(2j)/(2j + 1).
template <class Real>
KANAME_HD inline Real logarithm(const Real& argument) {
    const Real x = larger(argument, all<Real>(2.3e-308));
    Real k;
    const Real f = -1.0 + mantissa(x, k);
    const Real s = f / (2.0 + f), square = s * s;
    constexpr double kArtanh[10] = {2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11,
                                    2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21};
    const Real rest = s * (f - square * series(square, kArtanh));
    return kLn2High * k + (f - (rest - kLn2Low * k));
}

/// (1 - e^-x)/x for x >= 0, e^-x given: 1 where a rate is constant in time.
template <class Real>
KANAME_HD inline Real mean_decay(const Real& x, const Real& decayed) {
    // Below 1/16 Taylor's series, whose first term left out is x^8/9! = 6e-16 there.
    constexpr double kTaylor[8] = {1.0,       -1.0 / 2,   1.0 / 6,    -1.0 / 24,
                                   1.0 / 120, -1.0 / 720, 1.0 / 5040, -1.0 / 40320};
    const Real small = all<Real>(0.0625);
    const Real per_x = all<Real>(1.0) / larger(x, small);  // while e^-x is being found
    return select(x < small, series(smaller(x, small), kTaylor), (1.0 - decayed) * per_x);
}

}  // namespace kaname::rupture::kernels
