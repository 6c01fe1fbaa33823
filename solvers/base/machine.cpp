// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/machine.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

namespace kaname {
namespace {

namespace fs = std::filesystem;

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

/// The first number of a file; infinite where there is none, as in "max".
double number_in(const fs::path& file) {
    double number = 0.0;
    return std::ifstream(file) >> number ? number : std::numeric_limits<double>::infinity();
}

/// The number behind a key of a control group's statistics; 0 where there is none.
double statistic(const fs::path& file, const std::string& wanted) {
    std::ifstream in(file);
    std::string key;
    for (double number = 0.0; in >> key >> number;) {
        if (key == wanted) {
            return number;
        }
    }
    return 0.0;
}

void limit_memory(double most, double used, double reclaimable, ControlGroupLimits& limits) {
    if (std::isfinite(most)) {
        limits.memory_bytes = std::min(limits.memory_bytes, most);
        limits.left_bytes =
            std::min(limits.left_bytes, std::max(0.0, most - std::max(0.0, used - reclaimable)));
    }
}

void look_at_version_2(const fs::path& group, ControlGroupLimits& limits) {
    std::ifstream in(group / "cpu.max");  // "max 100000", "150000 100000"
    double quota = 0.0, period = 0.0;
    if (in >> quota >> period && quota > 0.0 && period > 0.0) {
        limits.cores = std::min(limits.cores, quota / period);
    }
    limit_memory(number_in(group / "memory.max"), number_in(group / "memory.current"),
                 statistic(group / "memory.stat", "inactive_file"), limits);
}

void look_at_version_1(const fs::path& group, ControlGroupLimits& limits) {
    const double quota = number_in(group / "cpu.cfs_quota_us");  // -1: none
    const double period = number_in(group / "cpu.cfs_period_us");
    if (quota > 0.0 && std::isfinite(quota) && period > 0.0) {
        limits.cores = std::min(limits.cores, quota / period);
    }
    constexpr double kNone = 1e18;
    const double most = number_in(group / "memory.limit_in_bytes");
    if (most < kNone) {
        limit_memory(most, number_in(group / "memory.usage_in_bytes"),
                     statistic(group / "memory.stat", "total_inactive_file"), limits);
    }
}

/// Calls `look` for a group and those above it, up to the root.
template <class Look>
void each_above(const fs::path& root, const std::string& group, const Look& look) {
    fs::path at = root / fs::path(group).relative_path();
    for (const fs::path& part : fs::path(group).relative_path()) {
        (void)part;
        look(at);
        at = at.parent_path();
    }
    look(root);
}

std::string text_of(const char* path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

ControlGroupLimits control_group_limits(const std::string& membership, const fs::path& root) {
    ControlGroupLimits limits;
    std::istringstream lines(membership);
    // Lines are "0::/a/b" in the second version, "4:cpu,cpuacct:/a/b" in the first.
    for (std::string line; std::getline(lines, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second =
            first == std::string::npos ? std::string::npos : line.find(':', first + 1);
        if (second == std::string::npos) {
            continue;
        }
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const std::string group = line.substr(second + 1);
        if (controllers.empty()) {
            each_above(root, group, [&](const fs::path& at) { look_at_version_2(at, limits); });
        } else {
            each_above(root / controllers, group,
                       [&](const fs::path& at) { look_at_version_1(at, limits); });
        }
    }
    return limits;
}

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

    const ControlGroupLimits group =
        control_group_limits(text_of("/proc/self/cgroup"), "/sys/fs/cgroup");
    const auto limited = [&](const std::string& by) {
        machine.limits += (machine.limits.empty() ? "" : ", ") + by;
    };
    if (group.cores < machine.cores) {
        machine.cores = std::max(1, static_cast<int>(std::ceil(group.cores)));
        limited("a control group allows no more cores");
    }
    if (group.memory_bytes < machine.memory_bytes) {
        machine.memory_bytes = group.memory_bytes;
        limited("a control group allows no more memory");
    }
    machine.available_bytes = std::min(machine.available_bytes, group.left_bytes);
    rlimit space{};
    if (::getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY &&
        static_cast<double>(space.rlim_cur) < machine.memory_bytes) {
        machine.memory_bytes = static_cast<double>(space.rlim_cur);
        machine.available_bytes = std::min(machine.available_bytes, machine.memory_bytes);
        limited("ulimit -v allows no more memory");
    }
    return machine;
}

int threads_by_default(int processes) {
    const char* said = std::getenv("OMP_NUM_THREADS");
    const int number = said != nullptr ? std::atoi(said) : 0;
    return number > 0 ? number : std::max(1, this_machine().cores / std::max(1, processes));
}

std::string host_name() {
    char name[256] = {};
    ::gethostname(name, sizeof name - 1);
    return name;
}

}  // namespace kaname
