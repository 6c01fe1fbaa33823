// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace kaname::cli {

/// The machine that a run used.
struct Machine {
    std::string cpu;               ///< model name; "unknown" when the system does not say
    int cores = 1;                 ///< that this process may use
    double memory_bytes = 0.0;     ///< in all
    double available_bytes = 0.0;  ///< without swapping
};
[[nodiscard]] Machine this_machine();

/// Says on standard error when `threads`, as the named options ask for, exceed the cores.
void warn_of_more_threads_than_cores(const std::string& options, long long threads);

}  // namespace kaname::cli
