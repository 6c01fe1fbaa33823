// SPDX-License-Identifier: BSD-3-Clause
#include "worker/process/spawn.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "solvers/base/error.hpp"

extern char** environ;

namespace kaname::process {
namespace {

std::vector<std::string> merged_environment(const SpawnOptions& options) {
    std::vector<std::string> result;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        if (options.env.count(std::string(text.substr(0, text.find('=')))) == 0) {
            result.emplace_back(text);
        }
    }
    for (const auto& [name, value] : options.env) {
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

struct ChildPlan {
    const char* path;
    char* const* argv;
    char* const* envp;
    int in, out, err, status;
    int death_signal;
    pid_t parent;
};

/// Runs between fork and exec, where only async-signal-safe calls are allowed.
[[noreturn]] void become_program(const ChildPlan& plan) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, plan.death_signal);
    if (::getppid() != plan.parent) {  // the parent ended before prctl took effect
        ::_exit(127);
    }
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (const int ignored : {SIGPIPE, SIGINT, SIGQUIT, SIGTERM, SIGHUP}) {
        ::signal(ignored, SIG_DFL);
    }
    const bool streams_ready =
        ::dup2(plan.in, 0) >= 0 && ::dup2(plan.out, 1) >= 0 && ::dup2(plan.err, 2) >= 0;
    // Also what the parent itself inherited; the status pipe closes on exec as it is.
    ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
    if (streams_ready) {
        ::execve(plan.path, plan.argv, plan.envp);
    }
    const int cause = errno;
    [[maybe_unused]] const ssize_t sent = ::write(plan.status, &cause, sizeof(cause));
    ::_exit(127);
}

/// 0 when exec succeeded.
int exec_error(const Fd& status) {
    int cause = 0;
    ssize_t got = 0;
    do {
        got = ::read(status.get(), &cause, sizeof(cause));
    } while (got < 0 && errno == EINTR);
    return got == sizeof(cause) ? cause : 0;
}

[[noreturn]] void throw_not_started(const std::string& program, int cause) {
    if (cause == ENOENT || cause == ENOTDIR) {
        throw Error(ErrorCode::NotFound, "program " + program + ": not found");
    }
    throw Error(ErrorCode::Unavailable,
                "program " + program + ": cannot be started: " + std::strerror(cause));
}

/// Moves a descriptor out of 0..2, where the child's dup2 would overwrite it (a parent may run
/// with closed standard streams).
Fd above_standard(Fd fd) {
    if (fd.get() > 2) {
        return fd;
    }
    return Fd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 3));
}

}  // namespace

Pipe make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw Error(ErrorCode::Unavailable, std::string("pipe: ") + std::strerror(errno));
    }
    Pipe pipe{Fd(ends[0]), Fd(ends[1])};
    return {above_standard(std::move(pipe.read)), above_standard(std::move(pipe.write))};
}

SpawnedChild spawn(const SpawnOptions& options) {
    if (options.argv.empty() || options.argv.front().empty()) {
        throw Error(ErrorCode::InvalidArgument, "argv must name a program, got an empty list");
    }
    const std::string& program = options.argv.front();
    // A path is left to exec, whose errno tells "not found" from "no permission".
    const std::optional<std::string> path =
        program.find('/') != std::string::npos ? std::optional(program) : find_program(program);
    if (!path) {
        throw Error(ErrorCode::NotFound, "program " + program + ": not found in PATH");
    }
    std::vector<std::string> arguments = options.argv;
    std::vector<std::string> environment = merged_environment(options);
    const std::vector<char*> argv = pointers(arguments);
    const std::vector<char*> envp = pointers(environment);
    Pipe in = make_pipe(), out = make_pipe(), err = make_pipe(), status = make_pipe();
    const ChildPlan plan{path->c_str(),      argv.data(),          envp.data(),
                         in.read.get(),      out.write.get(),      err.write.get(),
                         status.write.get(), options.death_signal, ::getpid()};

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
        throw_not_started(program, cause);
    }
    return {pid, std::move(in.write), std::move(out.read), std::move(err.read)};
}

}  // namespace kaname::process
