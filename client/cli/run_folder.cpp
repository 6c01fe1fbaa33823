// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/run_folder.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "solvers/base/error.hpp"

namespace kaname::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void throw_unusable(const fs::path& folder, const std::string& cause) {
    throw Error(ErrorCode::Unavailable, "output: " + folder.string() + ": " + cause);
}

}  // namespace

void check_can_write(const fs::path& folder) {
    fs::path existing = fs::absolute(folder).lexically_normal();
    std::error_code failed;
    while (!fs::exists(existing, failed) && existing != existing.parent_path()) {
        existing = existing.parent_path();
    }
    if (!fs::is_directory(existing, failed)) {
        throw_unusable(folder, existing.string() + " is not a folder");
    }
    if (::access(existing.c_str(), W_OK | X_OK) != 0) {
        throw_unusable(folder, existing.string() + " is not writable: " + std::strerror(errno));
    }
}

RunFolder::RunFolder(const fs::path& folder) : folder_(fs::absolute(folder).lexically_normal()) {
    std::error_code failed;
    fs::create_directories(folder_ / "work", failed);
    if (failed) {
        throw_unusable(folder, "cannot be made: " + failed.message());
    }
    lock_ = Fd(::open(work("lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!lock_.open()) {
        throw_unusable(folder, std::string("cannot be written: ") + std::strerror(errno));
    }
    if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
        throw Error(ErrorCode::Conflict,
                    "output: " + folder.string() + ": another run is at work there");
    }
}

void RunFolder::remove_work() {
    std::error_code ignored;
    fs::remove_all(folder_ / "work", ignored);
}

}  // namespace kaname::cli
