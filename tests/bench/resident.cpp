// SPDX-License-Identifier: BSD-3-Clause
#include "tests/bench/resident.hpp"

#include <fstream>
#include <string>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace kaname::bench {
namespace {

std::optional<double> status_bytes(const std::string& wanted) {
    std::ifstream status("/proc/self/status");
    std::string line;
    while (std::getline(status, line)) {
        if (line.starts_with(wanted)) {
            return 1024.0 * std::stod(line.substr(wanted.size()));
        }
    }
    return std::nullopt;
}

}  // namespace

ResidentGrowth::ResidentGrowth() {
#ifdef __GLIBC__
    malloc_trim(0);  // freed memory that is still resident would hide later growth
#endif
    std::ofstream clear("/proc/self/clear_refs");
    if (clear << 5 << std::flush) {
        start_bytes_ = status_bytes("VmRSS:");
    }
}

std::optional<double> ResidentGrowth::peak_bytes() const {
    const auto peak = status_bytes("VmHWM:");
    if (!peak || !start_bytes_) {
        return std::nullopt;
    }
    return *peak - *start_bytes_;
}

}  // namespace kaname::bench
