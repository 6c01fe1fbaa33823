// SPDX-License-Identifier: BSD-3-Clause
#include "server/embedded/socket_folder.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/sha256.hpp"

namespace kaname::embedded {
namespace {

namespace fs = std::filesystem;

bool fits(const fs::path& folder) {
    const fs::path socket = folder / (".s.PGSQL." + std::to_string(kSocketPort));
    return socket.native().size() <= kLongestSocketPath;
}

fs::path default_runtime() {
    if (::geteuid() == 0) {
        return "/run";
    }
    const char* own = std::getenv("XDG_RUNTIME_DIR");
    std::error_code ignored;
    return own != nullptr && fs::is_directory(own, ignored) ? own : "/tmp";
}

/// Makes the folder, or accepts it when it is the user's alone: in /tmp anybody may have made it.
void make_private(const fs::path& folder, const run::User& user) {
    const bool made = ::mkdir(folder.c_str(), 0700) == 0;
    if (!made && errno != EEXIST) {
        throw Error(ErrorCode::Unavailable, folder.string() + ": " + std::strerror(errno));
    }
    if (made && ::geteuid() == 0 && ::lchown(folder.c_str(), user.uid, user.gid) != 0) {
        throw Error(ErrorCode::Unavailable, folder.string() + ": " + std::strerror(errno));
    }
    struct stat info {};
    if (::lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != user.uid ||
        (info.st_mode & 0777) != 0700) {
        char mode[16];
        std::snprintf(mode, sizeof mode, "%04o", static_cast<unsigned>(info.st_mode & 07777U));
        throw Error(ErrorCode::PermissionDenied,
                    "socket folder " + folder.string() + " must be a folder of user " + user.name +
                        " with mode 0700, got user " + std::to_string(info.st_uid) + ", mode " +
                        mode + "; remove what is there");
    }
}

}  // namespace

fs::path make_socket_folder(const fs::path& state, const fs::path& runtime, const run::User& user) {
    const fs::path usual = state / "postgres-socket";
    if (fits(usual)) {
        make_private(usual, user);
        return usual;
    }
    const fs::path record = state / "postgres-socket.path";
    const std::string hash = sha256_hex(state.string() + "\n" + std::to_string(user.uid));
    fs::path folder = read_file_if_any(record);
    if (folder.empty() || !fits(folder)) {
        folder = (runtime.empty() ? default_runtime() : runtime) / ("kaname-" + hash.substr(0, 16));
    }
    if (!fits(folder)) {
        throw Error(ErrorCode::InvalidArgument, "socket folder " + folder.string() +
                                                    ": its socket's path must have at most " +
                                                    std::to_string(kLongestSocketPath) + " bytes");
    }
    make_private(folder, user);
    write_file(record, folder.string());
    return folder;
}

}  // namespace kaname::embedded
