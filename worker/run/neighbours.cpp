// SPDX-License-Identifier: BSD-3-Clause
#include "worker/run/neighbours.hpp"

#include <cstdlib>
#include <string>

#include "solvers/base/files.hpp"

namespace kaname::run {

bool has_busy_neighbours(int cores, const std::filesystem::path& proc) {
    constexpr double kBusy_percent = 10.0;
    const std::string head = "some avg10=";
    const std::string pressure = read_file_if_any(proc / "pressure/cpu");
    if (const std::size_t at = pressure.find(head); at != std::string::npos) {
        return std::strtod(pressure.c_str() + at + head.size(), nullptr) > kBusy_percent;
    }
    return std::strtod(read_file_if_any(proc / "loadavg").c_str(), nullptr) > cores;
}

}  // namespace kaname::run
