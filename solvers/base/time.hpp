// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <string>

namespace kaname {

/// Returns the time [s] that has passed since a time of the steady clock.
[[nodiscard]] inline double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The current time: "2026-01-31T23:59:59Z".
[[nodiscard]] std::string utc_now();

}  // namespace kaname
