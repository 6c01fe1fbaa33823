// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <limits>
#include <string>

namespace kaname {

/// Where this process runs. Limits of its control groups (cpu.max, memory.max and their first
/// version) and of its user (ulimit -v) count as what there is.
struct Machine {
    std::string cpu;               ///< model name; "unknown" when the system does not say
    int cores = 1;                 ///< cores that this process may use
    double memory_bytes = 0.0;     ///< memory in all
    double available_bytes = 0.0;  ///< memory to be had without swapping
    std::string limits;            ///< who allows less than the machine has; mostly empty
};
[[nodiscard]] Machine this_machine();
/// Returns the name that this machine has for others, without its domain where it was set so.
[[nodiscard]] std::string host_name();

/// Threads that each of some processes takes where nobody said how many: OMP_NUM_THREADS (its first
/// number), else the cores of this_machine() shared among them, at least 1.
[[nodiscard]] int threads_by_default(int processes);

struct ControlGroupLimits {
    double cores = std::numeric_limits<double>::infinity();
    double memory_bytes = std::numeric_limits<double>::infinity();
    double left_bytes = std::numeric_limits<double>::infinity();  ///< what memory is not in use
};
/// Reads the least that the control groups of a process and those above them allow. `membership`:
/// the text of its /proc/PID/cgroup; `root`: where control groups are mounted. Files that are
/// missing limit nothing.
[[nodiscard]] ControlGroupLimits control_group_limits(const std::string& membership,
                                                      const std::filesystem::path& root);

}  // namespace kaname
