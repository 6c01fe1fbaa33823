// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>

#include "solvers/device/hd.hpp"

/// The arithmetic of IntegerElement around its products of digits, for both backends: where a
/// compiler could join a product and a sum, it is said which, so that the bits are the same.
namespace kaname::voxelwave::body {

inline constexpr int kNumbers = 48;      ///< (u, 2/3 G/kappa u) of a voxel
inline constexpr int kDigitBits = 7;     ///< of a digit
inline constexpr int kDigitsOfASum = 4;  ///< of a 64-bit sum

/// Number k < 48 of a voxel from its displacement u = u[k % 24].
KANAME_HD inline double of_both(int k, double ratio, double u) {
    return k < kNumbers / 2 ? u : 2.0 / 3.0 * ratio * u;
}

/// A quotient in [-1, 1] as an integer.
KANAME_HD inline std::int64_t whole_number(double quotient, double scale) {
    return static_cast<std::int64_t>(quotient * scale);
}

/// value / by, rounded as a division rounds, for the rounded 1/by, where `by` is in [2^-500, 2^500]
/// and the quotient, unless it is below 2^-400, too (P. Markstein, IBM J. Res. Dev. 34, 1990: one
/// correction by the remainder, which has no rounding; tested against divisions).
KANAME_HD inline double quotient(double value, double by, double reciprocal) {
    const double near = value * reciprocal;
    return fma(fma(-near, by, value), reciprocal, near);
}

/// Takes the last digit off.
KANAME_HD inline std::int8_t take_digit(std::int64_t& whole) {
    const auto digit = static_cast<std::int8_t>(whole % (1 << kDigitBits));
    whole /= 1 << kDigitBits;
    return digit;
}

/// A component of the nodal force from its sum of products of numbers, of which one is `unit`;
/// kappa ds/256, and u there.
KANAME_HD inline double integer_force(double sum, double unit, double kappa_ds_256, double ratio,
                                      double u) {
    return kappa_ds_256 * fma(256.0 / 3.0 * ratio, u, unit * sum);
}

}  // namespace kaname::voxelwave::body
