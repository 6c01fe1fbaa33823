// SPDX-License-Identifier: BSD-3-Clause
#include "server/space/trim_log.hpp"

#include <system_error>

#include <sys/stat.h>

namespace kaname::space {
namespace fs = std::filesystem;

void trim_log(const fs::path& log, std::uint64_t limit) {
    struct stat info {};
    if (::lstat(log.c_str(), &info) != 0 || !S_ISREG(info.st_mode) ||
        static_cast<std::uint64_t>(info.st_size) <= limit) {
        return;
    }
    std::error_code failed;
    const fs::path old = log.string() + ".old";
    fs::remove(old, failed);  // not through a link that somebody left there
    if (fs::copy_file(log, old, failed) && !failed) {
        fs::resize_file(log, 0, failed);
    } else if (std::error_code none; fs::file_size(log, none) > 2 * limit && !none) {
        fs::resize_file(log, 0, none);  // better than a full disk
    }
}

void trim_logs(const fs::path& state, std::uint64_t limit) {
    trim_log(state / "server.log", limit);
    trim_log(state / "logs" / "postgres.log", limit);
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(state / "agents", none)) {
        if (entry.path().extension() == ".log") {
            trim_log(entry.path(), limit);
        }
    }
}

}  // namespace kaname::space
