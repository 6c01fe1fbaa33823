// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/run_folder.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "client/cli/dataset_identity.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"

namespace kaname::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void throw_unusable(const fs::path& folder, const std::string& cause) {
    throw Error(ErrorCode::Unavailable, "--output: '" + folder.string() + "' " + cause);
}

}  // namespace

bool RunFolder::is_of(const fs::path& folder, const std::string& content_hash) {
    // The hash is empty where another version wrote it, which the solve tells from the files.
    return content_hash_of(read_file_if_any(folder / "work" / "spec.json")) == content_hash;
}

void RunFolder::check_free(const fs::path& folder, const std::string& content_hash) {
    std::error_code none;
    const fs::path work = folder / "work";
    if (!fs::is_directory(work / "sources", none) || fs::is_empty(work / "sources", none)) {
        return;
    }
    if (!is_of(folder, content_hash)) {
        throw Error(ErrorCode::Conflict,
                    "--output: must not replace what an interrupted run of another specification "
                    "has finished in '" +
                        work.string() + "'; go on with it by --resume " + folder.string() +
                        ", name another place, or give --force");
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
                    "--output: another run is at work in '" + folder.string() + "'");
    }
}

void RunFolder::remove_work() {
    std::error_code ignored;
    fs::remove_all(folder_ / "work", ignored);
}

}  // namespace kaname::cli
