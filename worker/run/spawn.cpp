// SPDX-License-Identifier: BSD-3-Clause
#include "worker/run/spawn.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "solvers/base/error.hpp"
#include "worker/run/process.hpp"

extern char** environ;
namespace kaname::run {
namespace {

struct ChildPlan {
    ChildProgram program;
    int in, out, err;
    int death_signal;
    pid_t parent;
    const ResourceLimits* limits;
    int ruleset;  ///< of the confinement, or -1
};

/// setrlimit and getrlimit are plain system calls: safe between fork and exec.
bool limit(decltype(RLIMIT_AS) what, std::uint64_t most) {
    rlimit bounds{};
    if (most == 0) {
        return true;
    }
    if (::getrlimit(what, &bounds) != 0) {
        return false;
    }
    bounds.rlim_cur = bounds.rlim_max = std::min<rlim_t>(bounds.rlim_max, most);
    return ::setrlimit(what, &bounds) == 0;
}

/// Runs between fork and exec, where only async-signal-safe calls are allowed.
[[noreturn]] void become_program(const ChildPlan& plan) {
    const ChildProgram& program = plan.program;
    ::setpgid(0, 0);
    const bool user_ready = limit(RLIMIT_AS, plan.limits->memory_bytes) &&
                            limit(RLIMIT_FSIZE, plan.limits->file_bytes) &&
                            limit(RLIMIT_CPU, plan.limits->cpu_s) &&
                            limit(RLIMIT_NOFILE, plan.limits->open_files) &&
                            (program.user == nullptr || become_user(*program.user)) &&
                            (*program.work_dir == '\0' || ::chdir(program.work_dir) == 0) &&
                            (!plan.limits->confinement || confine_self(plan.ruleset));
    const int user_cause = errno;
    ::prctl(PR_SET_PDEATHSIG, plan.death_signal);
    if (::getppid() != plan.parent) {  // the parent ended before prctl took effect
        ::_exit(127);
    }
    reset_signals({SIGPIPE, SIGINT, SIGQUIT, SIGTERM, SIGHUP});
    const bool streams_ready =
        ::dup2(plan.in, 0) >= 0 && ::dup2(plan.out, 1) >= 0 && ::dup2(plan.err, 2) >= 0;
    // Also what the parent itself inherited; the status pipe closes on exec as it is.
    ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
    if (user_ready && streams_ready) {
        ::execve(program.path, program.argv, program.envp);
    }
    end_unstarted(program, user_ready ? errno : user_cause);
}

}  // namespace

std::string resolve_program(const std::vector<std::string>& argv) {
    if (argv.empty() || argv.front().empty()) {
        throw Error(ErrorCode::InvalidArgument, "argv must name a program, got an empty list");
    }
    const std::string& program = argv.front();
    // A path is left to exec, whose errno tells "not found" from "no permission".
    const std::optional<std::string> path =
        program.find('/') != std::string::npos ? std::optional(program) : find_program(program);
    if (!path) {
        throw Error(ErrorCode::NotFound, "program " + program + ": not found in PATH");
    }
    return *path;
}

std::vector<std::string> merged_environment(
    const std::map<std::string, std::optional<std::string>>& changes) {
    std::vector<std::string> result;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        if (changes.count(std::string(text.substr(0, text.find('=')))) == 0) {
            result.emplace_back(text);
        }
    }
    for (const auto& [name, value] : changes) {
        if (value) {
            result.push_back(name + "=" + *value);
        }
    }
    return result;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
    std::vector<char*> result;
    for (std::string& text : strings) {
        result.push_back(text.data());
    }
    result.push_back(nullptr);
    return result;
}

int exec_error(const Fd& status) {
    int cause = 0;
    ssize_t got = 0;
    do {
        got = ::read(status.get(), &cause, sizeof(cause));
    } while (got < 0 && errno == EINTR);
    return got == sizeof(cause) ? cause : 0;
}

void throw_not_started(const std::string& program, int cause) {
    if (cause == ENOENT || cause == ENOTDIR) {
        throw Error(ErrorCode::NotFound, "program " + program + ": not found");
    }
    throw Error(ErrorCode::Unavailable,
                "program " + program + ": cannot be started: " + std::strerror(cause));
}

void reset_signals(std::initializer_list<int> changed) {
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (const int signal : changed) {
        ::signal(signal, SIG_DFL);
    }
}

void end_unstarted(const ChildProgram& program, int cause) {
    [[maybe_unused]] const ssize_t sent = ::write(program.status, &cause, sizeof(cause));
    ::_exit(127);
}

SpawnedChild spawn(const SpawnOptions& options) {
    const std::string path = resolve_program(options.argv);
    std::vector<std::string> arguments = options.argv;
    std::vector<std::string> environment = merged_environment(options.env);
    const std::vector<char*> argv = pointers(arguments);
    const std::vector<char*> envp = pointers(environment);
    Pipe in = make_pipe(), out = make_pipe(), err = make_pipe(), status = make_pipe();
    const Fd ruleset =
        options.limits.confinement ? make_ruleset(*options.limits.confinement) : Fd();
    const ChildPlan plan{{path.c_str(), argv.data(), envp.data(), options.work_dir.c_str(),
                          options.user ? &*options.user : nullptr, status.write.get()},
                         in.read.get(),
                         out.write.get(),
                         err.write.get(),
                         options.death_signal,
                         ::getpid(),
                         &options.limits,
                         ruleset.get()};

    const pid_t pid = ::fork();
    if (pid < 0) {
        throw Error(ErrorCode::Unavailable, std::string("fork: ") + std::strerror(errno));
    }
    if (pid == 0) {
        become_program(plan);
    }
    ::setpgid(pid, pid);  // also here: the group must exist before anybody signals it
    status.write.close();
    if (const int cause = exec_error(status.read); cause != 0) {
        ::waitpid(pid, nullptr, 0);
        throw_not_started(path, cause);
    }
    return {pid, std::move(in.write), std::move(out.read), std::move(err.read)};
}

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
