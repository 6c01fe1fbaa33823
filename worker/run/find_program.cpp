// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <sstream>

#include <sys/stat.h>
#include <unistd.h>

#include "worker/run/process.hpp"

namespace kaname::run {
namespace {

bool is_executable_file(const std::string& path) {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
           ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::optional<std::string> find_program(const std::string& name) {
    if (name.find('/') != std::string::npos) {
        return is_executable_file(name) ? std::optional(name) : std::nullopt;
    }
    const char* path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin");
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
        if (is_executable_file(candidate)) {
            return candidate;
        }
    }
    return std::nullopt;
}

}  // namespace kaname::run
