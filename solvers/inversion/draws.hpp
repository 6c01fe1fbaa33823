// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace kaname::inversion {

/// Random numbers that are the same everywhere: splitmix64 (Steele, Lea and Flood 2014).
class Draws {
public:
    explicit Draws(std::uint64_t seed) : state_(seed) {}

    [[nodiscard]] std::uint64_t next();
    /// Returns 0 to n - 1; n is far below 2^64, so that the remainder's bias does not matter.
    [[nodiscard]] std::size_t below(std::size_t n) { return next() % n; }
    /// Returns a draw from the normal distribution with mean 0 and variance 1 (Box and Muller
    /// 1958).
    [[nodiscard]] double normal();

private:
    std::uint64_t state_;
};

/// A fold for each of n groups in a given order: the groups are shuffled (Fisher and Yates, from
/// the back) and dealt in turn, so that folds differ by at most one group.
[[nodiscard]] std::vector<int> deal_folds(std::size_t n_groups, int n_folds, std::uint64_t seed);

}  // namespace kaname::inversion
