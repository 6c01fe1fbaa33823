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

/// |value| <= largest as an integer.
KANAME_HD inline std::int64_t whole_number(double value, double largest, double scale) {
    return largest == 0.0 ? 0 : static_cast<std::int64_t>(value / largest * scale);
}

/// Takes the last digit off.
KANAME_HD inline std::int8_t take_digit(std::int64_t& whole) {
    const auto digit = static_cast<std::int8_t>(whole % (1 << kDigitBits));
    whole /= 1 << kDigitBits;
    return digit;
}

/// A component of the nodal force from its two sums of digits; kappa ds/256, and u there.
KANAME_HD inline double integer_force(std::int64_t low, std::int64_t high, double largest,
                                      double scale, double kappa_ds_256, double ratio, double u) {
    if (largest == 0.0) {
        return 0.0;
    }
    constexpr double kHigh = std::int64_t{1} << (kDigitBits * kDigitsOfASum);
    const double sum = fma(kHigh, static_cast<double>(high), static_cast<double>(low));
    return kappa_ds_256 * fma(256.0 / 3.0 * ratio, u, largest / scale * sum);
}

}  // namespace kaname::voxelwave::body
