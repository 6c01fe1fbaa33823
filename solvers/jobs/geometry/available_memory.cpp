// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/geometry/available_memory.hpp"

#include <algorithm>
#include <string>

#include <sys/resource.h>

#include "solvers/base/machine.hpp"

namespace kaname::jobs {

double available_bytes() {
    return this_machine().available_bytes;
}

void warn_of_memory(double solve_bytes, double available_bytes,
                    std::vector<std::string>& warnings) {
    const std::string text = "a solve needs more memory than is free on this machine";
    if (available_bytes > 0.0 && solve_bytes > available_bytes &&
        std::ranges::count(warnings, text) == 0) {
        warnings.push_back(text);
    }
}

double peak_bytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) * 1024.0;
}

}  // namespace kaname::jobs
