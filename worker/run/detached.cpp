// SPDX-License-Identifier: BSD-3-Clause
#include "worker/run/detached.hpp"

#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/log_line.hpp"
#include "worker/run/spawn.hpp"

namespace kaname::run {
namespace {

struct GrandchildPlan {
    ChildProgram program;
    int null, log, pid, go;
};

/// Runs in the grandchild, where only async-signal-safe calls are allowed.
[[noreturn]] void become_detached(const GrandchildPlan& plan) {
    const ChildProgram& program = plan.program;
    const pid_t self = ::getpid();
    char go = 0;
    if (::write(plan.pid, &self, sizeof(self)) != sizeof(self) || ::read(plan.go, &go, 1) != 1) {
        ::_exit(127);  // the starter died, or does not want it any more
    }
    reset_signals({SIGPIPE, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGCHLD});
    const bool ready =
        ::dup2(plan.null, 0) >= 0 && ::dup2(plan.log, 1) >= 0 && ::dup2(plan.log, 2) >= 0 &&
        (program.user == nullptr || become_user(*program.user)) && ::chdir(program.work_dir) == 0;
    ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
    if (ready) {
        ::execve(program.path, program.argv, program.envp);
    }
    end_unstarted(program, errno);
}

/// Above 2, so that the dup2 calls of the child do not overwrite it.
Fd open_above_standard(const std::filesystem::path& path, int flags) {
    const Fd low(::open(path.c_str(), flags | O_CLOEXEC, 0600));
    Fd high(low.open() ? ::fcntl(low.get(), F_DUPFD_CLOEXEC, 3) : -1);
    if (!high.open()) {
        throw Error(ErrorCode::Unavailable, path.string() + ": " + std::strerror(errno));
    }
    return high;
}

/// The pid that the grandchild tells; 0 when it was never born.
pid_t read_pid(const Fd& from) {
    pid_t pid = 0;
    ssize_t got = 0;
    do {
        got = ::read(from.get(), &pid, sizeof(pid));
    } while (got < 0 && errno == EINTR);
    return got == sizeof(pid) ? pid : 0;
}

}  // namespace

ProcessId start_detached(const DetachedOptions& options) {
    const std::string path = resolve_program(options.argv);
    std::vector<std::string> arguments = options.argv;
    std::vector<std::string> environment = merged_environment(options.env);
    const std::vector<char*> argv = pointers(arguments);
    const std::vector<char*> envp = pointers(environment);
    const Fd null = open_above_standard("/dev/null", O_RDONLY);
    const Fd log = open_above_standard(options.log, O_WRONLY | O_CREAT | O_APPEND);
    Pipe pid_pipe = make_pipe(), go = make_pipe(), status = make_pipe();
    const GrandchildPlan plan{{path.c_str(), argv.data(), envp.data(), options.work_dir.c_str(),
                               options.user ? &*options.user : nullptr, status.write.get()},
                              null.get(),
                              log.get(),
                              pid_pipe.write.get(),
                              go.read.get()};

    const pid_t middle = ::fork();
    if (middle < 0) {
        throw Error(ErrorCode::Unavailable, std::string("fork: ") + std::strerror(errno));
    }
    if (middle == 0) {
        // A second fork: the program becomes init's child, which reaps it, and leads its session
        // without ever getting a terminal.
        ::setsid();
        ::close(go.write.get());  // else the grandchild would never see the starter's death
        if (::fork() == 0) {
            ::setsid();
            become_detached(plan);
        }
        ::_exit(0);
    }
    pid_pipe.write.close();  // go.read stays: writing to a dead child must not raise SIGPIPE
    status.write.close();
    const pid_t pid = read_pid(pid_pipe.read);
    while (::waitpid(middle, nullptr, 0) < 0 && errno == EINTR) {
    }
    const std::optional<ProcessId> id = identify(pid);
    if (!id) {
        throw Error(ErrorCode::Unavailable, "program " + path + ": cannot be started: fork failed");
    }
    if (options.before_exec) {
        options.before_exec(*id);
    }
    [[maybe_unused]] const ssize_t sent = ::write(go.write.get(), "g", 1);
    if (const int cause = exec_error(status.read); cause != 0) {
        wait_until_gone(*id, std::chrono::seconds(10));  // it has told its error, not yet ended
        throw_not_started(path, cause);
    }
    return *id;
}

namespace {

namespace fs = std::filesystem;

constexpr const char* kMark = "KANAME_PROCESS";
constexpr int kRounds = 100;  ///< an orphan's own children come to this process when it is killed
constexpr std::chrono::milliseconds kBetween{10};

std::atomic<bool> g_adopting = false;
/// g_children holds the children of class Process, and their marks.
std::mutex g_mutex;
std::map<pid_t, std::string> g_children;

/// Returns the parent of a process, by /proc; 0 where it has gone.
pid_t parent_of(const std::string& number) {
    const std::string stat = read_file_if_any("/proc/" + number + "/stat");
    const std::size_t name_ends = stat.rfind(')');
    pid_t parent = 0;
    if (name_ends != std::string::npos && stat.size() > name_ends + 4) {
        const char* const from = stat.data() + name_ends + 4;  // ") S 123 ..."
        std::from_chars(from, stat.data() + stat.size(), parent);
    }
    return parent;
}

/// Returns the mark in the environment that a process began with; empty where it has none.
std::string mark_of(const std::string& number) {
    const std::string environment = '\0' + read_file_if_any("/proc/" + number + "/environ");
    const std::string name = '\0' + std::string(kMark) + '=';
    const std::size_t at = environment.find(name);
    return at == std::string::npos
               ? ""
               : environment.substr(at + name.size(),
                                    environment.find('\0', at + name.size()) - at - name.size());
}

/// Returns the children of this process that are nobody's any more.
std::vector<pid_t> orphans() {
    std::set<std::string> live;
    for (const auto& [pid, mark] : g_children) {
        live.insert(mark);
    }
    std::vector<pid_t> found;
    std::error_code ended;
    for (fs::directory_iterator entry("/proc", ended); !ended && entry != fs::directory_iterator();
         entry.increment(ended)) {
        const std::string number = entry->path().filename().string();
        pid_t pid = 0;
        const auto [end, error] =
            std::from_chars(number.data(), number.data() + number.size(), pid);
        if (error == std::errc() && *end == '\0' && !g_children.contains(pid) &&
            parent_of(number) == ::getpid() && !live.contains(mark_of(number))) {
            found.push_back(pid);
        }
    }
    return found;
}

}  // namespace

void adopt_orphans() {
    g_adopting = ::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
}

SpawnedChild spawn_marked(const SpawnOptions& options, std::string& mark) {
    if (!g_adopting) {
        return spawn(options);
    }
    mark = make_uuid();
    SpawnOptions marked = options;
    marked.env[kMark] = mark;
    const std::lock_guard lock(g_mutex);  // a child that is not listed yet would be an orphan
    SpawnedChild child = spawn(marked);
    g_children[child.pid] = mark;
    return child;
}

void forget(pid_t pid, const std::string& mark) {
    if (mark.empty()) {
        return;
    }
    const std::lock_guard lock(g_mutex);
    g_children.erase(pid);
    for (int round = 0; round < kRounds; ++round) {
        const std::vector<pid_t> left = orphans();
        if (left.empty()) {
            return;
        }
        for (const pid_t orphan : left) {
            ::kill(orphan, SIGKILL);
            ::waitpid(orphan, nullptr, WNOHANG);
        }
        std::this_thread::sleep_for(kBetween);
    }
}

}  // namespace kaname::run
