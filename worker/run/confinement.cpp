// SPDX-License-Identifier: BSD-3-Clause
// Landlock by its system calls (Linux, Documentation/userspace-api/landlock.rst): there is no
// library of it in Debian 12, and its header knows the second version alone.
#include "worker/run/confinement.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "solvers/base/error.hpp"

namespace kaname::run {
namespace {

namespace fs = std::filesystem;

/// landlock_ruleset_attr of version 4; older kernels take its beginning.
struct RulesetAttributes {
    std::uint64_t handled_access_fs = 0;
    std::uint64_t handled_access_net = 0;
};

constexpr std::uint64_t kTruncate = 1U << 14U;   // since version 3
constexpr std::uint64_t kBindAndConnectTcp = 3;  // since version 4
constexpr std::uint64_t kOfFiles = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                                   LANDLOCK_ACCESS_FS_READ_FILE | kTruncate;
constexpr std::uint64_t kRead =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr const char* kEverybodys[] = {"/usr",  "/lib", "/lib64", "/bin", "/etc",
                                       "/proc", "/sys", "/dev",   "/opt"};

/// All rights of files and folders that a version knows.
std::uint64_t rights_of(int version) {
    std::uint64_t rights = LANDLOCK_ACCESS_FS_MAKE_SYM * 2 - 1;
    if (version >= 2) {
        rights |= LANDLOCK_ACCESS_FS_REFER;
    }
    if (version >= 3) {
        rights |= kTruncate;
    }
    return rights;
}

[[noreturn]] void throw_refused(const char* call) {
    throw Error(ErrorCode::Unavailable, std::string(call) + ": " + std::strerror(errno));
}

void allow(const Fd& ruleset, const fs::path& path, std::uint64_t rights) {
    const Fd at(::open(path.c_str(), O_PATH | O_CLOEXEC));
    struct stat info {};
    if (at.get() < 0 || ::fstat(at.get(), &info) != 0) {
        return;
    }
    landlock_path_beneath_attr rule{};
    rule.allowed_access = S_ISDIR(info.st_mode) ? rights : rights & kOfFiles;
    rule.parent_fd = at.get();
    if (::syscall(SYS_landlock_add_rule, ruleset.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) !=
        0) {
        throw_refused("landlock_add_rule");
    }
}

}  // namespace

int landlock_version() {
    const long version =
        ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return version < 0 ? 0 : static_cast<int>(version);
}

Fd make_ruleset(const Confinement& confinement) {
    const int version = landlock_version();
    if (version == 0) {
        return Fd();
    }
    const std::uint64_t all = rights_of(version);
    const RulesetAttributes attributes{all, version >= 4 ? kBindAndConnectTcp : 0};
    const std::size_t size = version >= 4 ? sizeof attributes : sizeof attributes.handled_access_fs;
    Fd ruleset(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, size, 0)));
    if (ruleset.get() < 0) {
        throw_refused("landlock_create_ruleset");
    }
    for (const char* path : kEverybodys) {
        allow(ruleset, path, kRead);
    }
    allow(ruleset, "/dev/null", kRead | LANDLOCK_ACCESS_FS_WRITE_FILE);
    for (const fs::path& path : confinement.read) {
        allow(ruleset, path, kRead);
    }
    for (const fs::path& path : confinement.write) {
        allow(ruleset, path, all);
    }
    return ruleset;
}

bool confine_self(int ruleset) {
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           (ruleset < 0 || ::syscall(SYS_landlock_restrict_self, ruleset, 0) == 0);
}

}  // namespace kaname::run
