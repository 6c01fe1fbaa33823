// SPDX-License-Identifier: BSD-3-Clause
#include "server/scheduler/clock.hpp"

#include <chrono>

namespace kaname::scheduler {

double monotonic_s() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace kaname::scheduler
