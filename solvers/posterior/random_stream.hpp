// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <random>
#include <string>

namespace kaname::posterior {

/// A bound that is none.
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// RandomStream draws the same numbers on every machine: the Mersenne Twister std::mt19937_64
/// (Matsumoto and Nishimura 1998), which the standard fixes to the bit, and distributions of its
/// own, which the standard does not fix. All of its state is the generator's.
class RandomStream {
public:
    explicit RandomStream(std::uint64_t seed) : engine_(seed) {}

    /// Returns a number in (0, 1), both ends excluded.
    [[nodiscard]] double uniform();
    /// Returns a draw from N(0, 1) (Box and Muller 1958; one of the pair is used).
    [[nodiscard]] double normal();
    /// Returns a draw from N(0, 1) within [low, high], which may be infinite: plain rejection where
    /// the interval has much of the distribution, else Robert's (1995,
    /// doi:10.1007/BF00143942) exponential and uniform proposals. Needs low < high.
    [[nodiscard]] double normal_within(double low, double high);
    /// Returns a draw from the gamma distribution of density x^(shape-1) exp(-x), shape > 0
    /// (Marsaglia and Tsang 2000, doi:10.1145/358407.358414).
    [[nodiscard]] double gamma(double shape);
    /// Returns a draw x in [low, high], 0 < low <= high, of density x^(shape-1) exp(-rate x):
    /// of log x, whose density is log-concave, by rejection under a tangent or a constant.
    [[nodiscard]] double gamma_within(double shape, double rate, double low, double high);

    /// Returns the state as text, which restore() takes back bit for bit.
    [[nodiscard]] std::string state() const;
    /// Throws InvalidArgument where the text is no state.
    void restore(const std::string& state);

private:
    [[nodiscard]] double normal_above(double low);

    std::mt19937_64 engine_;
};

/// Returns log of the normal distribution function, log P(N(0, 1) < x), for any x: far below zero
/// by its asymptotic series (Abramowitz and Stegun 26.2.12).
[[nodiscard]] double log_normal_cdf(double x);

/// Returns log P(low < N(0, 1) < high); -infinity where it is an empty interval.
[[nodiscard]] double log_normal_mass(double low, double high);

/// Returns log of the integral of x^(shape-1) exp(-rate x) from low to high, 0 < low < high: the
/// incomplete gamma function (Abramowitz and Stegun 6.5.29 and 6.5.31).
[[nodiscard]] double log_gamma_mass(double shape, double rate, double low, double high);

}  // namespace kaname::posterior
