// SPDX-License-Identifier: BSD-3-Clause
#include "worker/run/confinement.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "solvers/base/error.hpp"
#include "solvers/base/user_folders.hpp"
#include "worker/run/exit_code.hpp"
#include "worker/run/process.hpp"
#include "worker/run/spawn.hpp"

// Landlock by its system calls (Linux, Documentation/userspace-api/landlock.rst): there is no
// library of it in Debian 12, and its header knows the second version alone.
namespace kaname::run {
namespace {

namespace fs = std::filesystem;

/// landlock_ruleset_attr of version 6; older kernels take its beginning.
struct RulesetAttributes {
    std::uint64_t handled_access_fs = 0;
    std::uint64_t handled_access_net = 0;
    std::uint64_t scoped = 0;
};

constexpr std::uint64_t kTruncate = 1U << 14U;   // since version 3
constexpr std::uint64_t kBindAndConnectTcp = 3;  // since version 4
constexpr std::uint64_t kScopeSignal = 2;        // since version 6
constexpr std::uint64_t kOfFiles = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                                   LANDLOCK_ACCESS_FS_READ_FILE | kTruncate;
constexpr std::uint64_t kRead =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
// kEverybodys lists what kaname-compute, the linker, the C library, OpenMP, hwloc, MPI and CUDA's
// runtime read before and beside any work. Parts of /etc and /dev are listed file by file: a
// program that runs as root could otherwise read passwords and disks.
constexpr const char* kEverybodys[] = {"/usr/bin",
                                       "/usr/lib",
                                       "/usr/lib32",
                                       "/usr/lib64",
                                       "/usr/libexec",
                                       "/usr/share",
                                       "/usr/local/cuda",
                                       "/usr/local/lib",
                                       "/usr/local/nvidia",
                                       "/lib",
                                       "/lib64",
                                       "/bin",
                                       "/etc/host.conf",
                                       "/etc/hosts",
                                       "/etc/ld.so.cache",
                                       "/etc/libibverbs.d",
                                       "/etc/libnl-3",
                                       "/etc/localtime",
                                       "/etc/nsswitch.conf",
                                       "/etc/openmpi",
                                       "/etc/pmix",
                                       "/etc/resolv.conf",
                                       "/etc/ucx",
                                       "/proc",
                                       "/sys/bus",
                                       "/sys/class",
                                       "/sys/devices",
                                       "/sys/fs/cgroup",
                                       "/sys/kernel/mm",
                                       "/sys/module",
                                       "/dev/full",
                                       "/dev/random",
                                       "/dev/urandom",
                                       "/dev/zero"};
// Rights of root that open files, which the rules then bound, lock memory for devices and place
// threads; all others (mounts, raw disks, modules, other users, processes) go.
constexpr std::uint64_t kKeptCapabilities =
    (1U << 1U) | (1U << 2U) | (1U << 3U) | (1U << 14U) | (1U << 23U);
constexpr std::chrono::milliseconds kPatience{200};
constexpr const char* kMoreToRead = "KANAME_HELPERS_READ";

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

Fd make_ruleset(const Confinement& confinement, Tcp tcp) {
    const int version = landlock_version();
    if (version == 0) {
        return Fd();
    }
    const std::uint64_t all = rights_of(version);
    const RulesetAttributes attributes{all,
                                       version >= 4 && tcp == Tcp::Denied ? kBindAndConnectTcp : 0,
                                       version >= 6 ? kScopeSignal : 0};
    const std::size_t size = version >= 6   ? sizeof attributes
                             : version >= 4 ? offsetof(RulesetAttributes, scoped)
                                            : sizeof attributes.handled_access_fs;
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
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        ::syscall(SYS_capget, &header, sets) != 0) {
        return false;
    }
    for (auto& set : sets) {
        const auto kept = static_cast<std::uint32_t>(&set == sets ? kKeptCapabilities : 0);
        set.effective &= kept;
        set.permitted &= kept;
        set.inheritable = 0;
    }
    return ::syscall(SYS_capset, &header, sets) == 0 &&
           (ruleset < 0 || ::syscall(SYS_landlock_restrict_self, ruleset, 0) == 0);
}

std::vector<fs::path> needed_to_start(const fs::path& program) {
    std::error_code none;
    std::vector<fs::path> needed = {program, fs::canonical(program, none)};
    if (const fs::path cache = cache_folder(); !cache.empty()) {
        needed.push_back(cache / "speeds");
    }
    for (const char* variable : {"LD_LIBRARY_PATH", "PROJ_DATA", "PROJ_LIB", kMoreToRead}) {
        std::istringstream names(environment(variable));
        for (std::string name; std::getline(names, name, ':');) {
            needed.emplace_back(name);
        }
    }
    // The linker then prints "libx.so.1 => /where/libx.so.1 (0x...)" in place of a start.
    Process linker(
        {.argv = {program.string(), "--version"}, .env = {{"LD_TRACE_LOADED_OBJECTS", "1"}}});
    const auto add_library = [&](Source, std::string_view line) {
        const std::size_t path = line.find("=> /");
        const std::size_t end = line.rfind(" (0x");
        if (path != std::string_view::npos && end != std::string_view::npos) {
            const fs::path library(line.substr(path + 3, end - path - 3));
            needed.push_back(library.parent_path());
            needed.push_back(fs::canonical(library, none).parent_path());
        }
    };
    while (linker.read_lines(kPatience, add_library)) {
    }
    linker.wait();
    std::erase_if(needed, [](const fs::path& path) { return path.empty() || path == "/"; });
    std::ranges::sort(needed);
    needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
    return needed;
}

std::vector<fs::path> gpu_devices() {
    std::vector<fs::path> devices;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator("/dev", none)) {
        if (entry.path().filename().string().starts_with("nvidia")) {
            devices.push_back(entry.path());
        }
    }
    if (!devices.empty()) {
        const std::string pipes = environment("CUDA_MPS_PIPE_DIRECTORY");
        devices.emplace_back(pipes.empty() ? "/tmp/nvidia-mps" : pipes);
        devices.emplace_back("/dev/shm");
    }
    return devices;
}

std::string why_not_confined(const fs::path& program, const Confinement& confinement) {
    if (landlock_version() == 0) {
        return "this kernel has no Landlock";
    }
    const std::string advice = std::string("; name the folders that it reads in ") + kMoreToRead;
    try {
        std::string said;
        Process started({.argv = {program.string(), "--version"},
                         .env = {},
                         .limits = {.confinement = confinement}});
        while (started.read_lines(kPatience, [&](Source, std::string_view line) { said = line; })) {
        }
        const ExitStatus status = started.wait();
        return status.ok() ? ""
                           : program.string() + " --version then ends with " + status.text() +
                                 " (" + said + ')' + advice;
    } catch (const Error& error) {
        return error.what() + advice;
    }
}

namespace {

namespace fs = std::filesystem;

constexpr const char* kReadOption = "--read";
constexpr const char* kWriteOption = "--write";
constexpr const char* kRankFollows = "--";

/// Adds what the MPI of this rank needs, and tells it where its shared memory goes. Open MPI's
/// daemons name a folder of the session, of one mpirun, in which all that ranks of a node share may
/// lie; its ranks have confinements of their own, so that none reads the memory of another.
void add_mpi(Confinement& confinement) {
    confinement.write.emplace_back("/dev/infiniband");
    const std::string session = environment("PMIX_SERVER_TMPDIR");
    if (session.empty()) {
        confinement.write.emplace_back("/dev/shm");
        return;
    }
    for (const char* name : {"PMIX_SERVER_TMPDIR", "OMPI_MCA_orte_jobfam_session_dir"}) {
        if (const std::string folder = environment(name); !folder.empty()) {
            confinement.write.emplace_back(folder);
        }
    }
    ::setenv("OMPI_MCA_btl_vader_backing_directory", session.c_str(), 1);
    ::setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 1);
}

}  // namespace

std::vector<std::string> confined_rank(const fs::path& agent, const Confinement& confinement) {
    std::vector<std::string> command = {agent.string(), kConfined};
    for (const fs::path& path : confinement.read) {
        command.insert(command.end(), {kReadOption, path.string()});
    }
    for (const fs::path& path : confinement.write) {
        command.insert(command.end(), {kWriteOption, path.string()});
    }
    command.emplace_back(kRankFollows);
    return command;
}

int become_confined_rank(const std::vector<std::string>& arguments) {
    Confinement confinement;
    auto next = arguments.begin();
    for (; next != arguments.end() && *next != kRankFollows; ++next) {
        const bool reads = *next == kReadOption;
        if ((!reads && *next != kWriteOption) || next + 1 == arguments.end()) {
            std::cerr << "kaname-agent " << kConfined << ": '" << *next << "' is no option of it\n";
            return kExitBadInput;
        }
        (reads ? confinement.read : confinement.write).emplace_back(*++next);
    }
    std::vector<std::string> rank(std::min(next + 1, arguments.end()), arguments.end());
    try {
        const std::string path = resolve_program(rank);
        add_mpi(confinement);
        const Fd ruleset = make_ruleset(confinement, Tcp::Allowed);
        const std::vector<char*> argv = pointers(rank);
        if (confine_self(ruleset.get())) {
            ::execv(path.c_str(), argv.data());
        }
        throw_not_started(path, errno);
    } catch (const Error& error) {
        std::cerr << error.what() << '\n';
        return exit_code(error.code());
    }
}

}  // namespace kaname::run
