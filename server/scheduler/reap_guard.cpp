// SPDX-License-Identifier: BSD-3-Clause
#include "server/scheduler/reap_guard.hpp"

#include <cmath>
#include <utility>

namespace kaname::scheduler {

bool ReapGuard::may_reap(double store_s, double monotonic_s) {
    const double store_advance = store_s - std::exchange(last_store_s_, store_s);
    const double advance = monotonic_s - std::exchange(last_monotonic_s_, monotonic_s);
    // After a jump all heartbeats so far have wrong ages: each worker needs the time for a new one.
    began_ = !since_s_ || std::abs(store_advance - advance) > kLargestJump_s;
    if (began_) {
        since_s_ = monotonic_s;
        return false;
    }
    return monotonic_s - *since_s_ >= lease_s_;
}

}  // namespace kaname::scheduler
