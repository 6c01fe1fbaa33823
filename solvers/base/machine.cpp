// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/machine.hpp"

#include <fstream>
#include <sstream>

#include <sched.h>

namespace kaname {
namespace {

/// Value of the first "key : value" line of a /proc file; empty when there is none.
std::string proc_value(const char* path, const std::string& key) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        const std::size_t colon = line.find(':');
        if (line.compare(0, key.size(), key) == 0 && colon != std::string::npos) {
            const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
            return begin == std::string::npos ? "" : line.substr(begin);
        }
    }
    return "";
}

double meminfo_bytes(const std::string& key) {
    double kibibytes = 0.0;
    std::istringstream(proc_value("/proc/meminfo", key)) >> kibibytes;
    return 1024.0 * kibibytes;
}

}  // namespace

Machine this_machine() {
    Machine machine;
    machine.cpu = proc_value("/proc/cpuinfo", "model name");
    if (machine.cpu.empty()) {
        machine.cpu = "unknown";
    }
    cpu_set_t cores;
    if (::sched_getaffinity(0, sizeof(cores), &cores) == 0) {
        machine.cores = CPU_COUNT(&cores);
    }
    machine.memory_bytes = meminfo_bytes("MemTotal");
    machine.available_bytes = meminfo_bytes("MemAvailable");
    return machine;
}

}  // namespace kaname
