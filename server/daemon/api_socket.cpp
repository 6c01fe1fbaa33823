// SPDX-License-Identifier: BSD-3-Clause
#include "server/daemon/api_socket.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

#include "solvers/base/error.hpp"
#include "solvers/base/sha256.hpp"

namespace kaname::daemon {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "kaname";

fs::path default_runtime() {
    if (::geteuid() == 0) {
        return "/run";
    }
    const char* own = std::getenv("XDG_RUNTIME_DIR");
    std::error_code ignored;
    return own != nullptr && fs::is_directory(own, ignored) ? own : "/tmp";
}

/// In /tmp anybody may have made it before.
void make_private(const fs::path& folder) {
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
        throw Error(ErrorCode::Unavailable,
                    "socket folder " + folder.string() + ": " + std::strerror(errno));
    }
    struct stat info {};
    if (::lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) ||
        info.st_uid != ::geteuid() || (info.st_mode & 0777) != 0700) {
        char mode[16];
        std::snprintf(mode, sizeof mode, "%04o", static_cast<unsigned>(info.st_mode & 07777U));
        throw Error(ErrorCode::PermissionDenied,
                    "socket folder " + folder.string() +
                        " must be a folder of this user with mode 0700, got user " +
                        std::to_string(info.st_uid) + ", mode " + mode + "; remove what is there");
    }
}

}  // namespace

fs::path make_api_socket(const fs::path& state, const fs::path& runtime, std::size_t longest) {
    fs::path folder = state / "socket";
    if ((folder / kName).native().size() > longest) {
        const std::string hash =
            sha256_hex(state.string() + "\napi\n" + std::to_string(::geteuid()));
        folder = (runtime.empty() ? default_runtime() : runtime) / ("kaname-" + hash.substr(0, 16));
    }
    if ((folder / kName).native().size() > longest) {
        throw Error(ErrorCode::InvalidArgument, "socket folder " + folder.string() +
                                                    ": its socket's path must have at most " +
                                                    std::to_string(longest) + " bytes");
    }
    make_private(folder);
    return folder / kName;
}

}  // namespace kaname::daemon
