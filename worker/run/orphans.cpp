// SPDX-License-Identifier: BSD-3-Clause
#include "worker/run/orphans.hpp"

#include <atomic>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "solvers/base/files.hpp"
#include "solvers/base/uuid.hpp"

namespace kaname::run {
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
