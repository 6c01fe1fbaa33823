// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/geometry/available_memory.hpp"

#include <algorithm>
#include <fstream>
#include <string>

#include <sys/resource.h>

namespace kaname::jobs {

double available_bytes() {
    std::ifstream info("/proc/meminfo");
    std::string key;
    double kib = 0.0;
    std::string unit;
    while (info >> key >> kib >> unit) {
        if (key == "MemAvailable:") {
            return kib * 1024.0;
        }
    }
    return 0.0;
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
