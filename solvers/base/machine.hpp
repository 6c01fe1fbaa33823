// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace kaname {

/// Where this process runs.
struct Machine {
    std::string cpu;               ///< model name; "unknown" when the system does not say
    int cores = 1;                 ///< cores that this process may use
    double memory_bytes = 0.0;     ///< memory in all
    double available_bytes = 0.0;  ///< memory to be had without swapping
};
[[nodiscard]] Machine this_machine();

}  // namespace kaname
