// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

namespace kaname::scheduler {

/// Decides whether silent workers may be declared lost now. Before that a whole lease must pass in
/// which they could reach the server. It begins at the server's start, after each time that it or
/// its database was out of reach, and after a jump of the store's clock, which dates heartbeats.
class ReapGuard {
public:
    explicit ReapGuard(double lease_s) : lease_s_(lease_s) {}

    /// Call at every pass with both clocks.
    [[nodiscard]] bool may_reap(double store_s, double monotonic_s);
    /// At the last pass a lease began: the clocks were not compared before it.
    [[nodiscard]] bool began() const { return began_; }
    /// The store did not answer, or claims were closed: the lease begins anew at the next pass.
    void interrupted() { since_s_.reset(); }

    /// Largest difference between the clocks' advances from one pass to the next.
    static constexpr double kLargestJump_s = 2;

private:
    double lease_s_;
    std::optional<double> since_s_;  ///< monotonic
    bool began_ = false;
    double last_store_s_ = 0, last_monotonic_s_ = 0;
};

}  // namespace kaname::scheduler
