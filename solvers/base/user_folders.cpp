// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/user_folders.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

#include "solvers/base/error.hpp"

namespace kaname {
namespace fs = std::filesystem;

fs::path cache_folder() {
    if (const std::string named = environment("KANAME_CACHE"); !named.empty()) {
        return fs::absolute(named);
    }
    if (const std::string folder = environment("XDG_CACHE_HOME"); !folder.empty()) {
        return fs::path(folder) / "kaname";
    }
    const std::string home = environment("HOME");
    return home.empty() ? fs::path{} : fs::path(home) / ".cache" / "kaname";
}

namespace {

namespace fs = std::filesystem;

constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;

[[noreturn]] void refuse(const fs::path& path, const struct stat& is, const std::string& rule) {
    char mode[16];
    std::snprintf(mode, sizeof mode, "%04o", static_cast<unsigned>(is.st_mode & 07777U));
    throw Error(ErrorCode::PermissionDenied, path.string() + ": " + rule + ", got user " +
                                                 std::to_string(is.st_uid) + ", mode " + mode);
}

void check_folder(const fs::path& folder, int levels) {
    std::error_code ended;
    for (fs::directory_iterator entry(folder, ended); !ended && entry != fs::directory_iterator();
         entry.increment(ended)) {
        const std::string name = entry->path().filename().string();
        struct stat is {};
        // The database's own user has its folders where root starts the server.
        const bool of_database = name.starts_with("postgres");
        if (of_database && ::geteuid() == 0 && ::lstat(entry->path().c_str(), &is) == 0) {
            check_private(entry->path(), is.st_uid);
        } else {
            check_private(entry->path());
        }
        std::error_code unknown;
        if (levels > 1 && !of_database && name != "artifacts" &&
            fs::is_directory(entry->symlink_status(unknown))) {
            check_folder(entry->path(), levels - 1);
        }
    }
}

/// Makes a folder, and those above it that are missing.
void make(const fs::path& folder, mode_t mode, mode_t mode_above) {
    std::error_code hidden;
    if (folder.has_parent_path() && folder.parent_path() != folder &&
        !fs::exists(folder.parent_path(), hidden) && !hidden) {
        make(folder.parent_path(), mode_above, mode_above);
    }
    if (::mkdir(folder.c_str(), mode) == 0) {
        (void)::chmod(folder.c_str(), mode);  // a umask may have taken the owner's own bits
        return;
    }
    const int cause = errno;
    std::error_code unknown;
    if (!fs::is_directory(folder, unknown)) {
        const bool denied = cause == EACCES || cause == EPERM;
        throw Error(
            denied ? ErrorCode::PermissionDenied : ErrorCode::Unavailable,
            folder.string() + ": " + (cause == EEXIST ? "must be a folder" : std::strerror(cause)));
    }
}

}  // namespace

void make_private_folder(const fs::path& folder) {
    make(folder, 0700, ::geteuid() == 0 ? 0711 : 0700);
}

void check_private(const fs::path& path, std::optional<uid_t> owner) {
    struct stat is {};
    if (::lstat(path.c_str(), &is) != 0) {
        return;
    }
    if (is.st_uid != ::geteuid() && is.st_uid != 0 && is.st_uid != owner) {
        refuse(path, is,
               "must be owned by user " + std::to_string(::geteuid()) +
                   ", since who owns it has the server's rights");
    }
    if (!S_ISLNK(is.st_mode) && (is.st_mode & kOthersWrite) != 0) {
        refuse(path, is,
               "must not be writable by group or others, since who writes there has the server's "
               "rights (chmod go-w, once it is clear that nobody did)");
    }
}

void check_state_folder(const fs::path& state) {
    check_private(state);
    check_folder(state, 2);
}

}  // namespace kaname
