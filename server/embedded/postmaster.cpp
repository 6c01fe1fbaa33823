// SPDX-License-Identifier: BSD-3-Clause
#include "server/embedded/postmaster.hpp"

#include <charconv>
#include <csignal>
#include <sstream>
#include <thread>

#include <sys/stat.h>

#include "server/embedded/data_folder.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"

namespace kaname::embedded {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

bool runs_on(pid_t pid, const fs::path& data) {
    const fs::path proc = fs::path("/proc") / std::to_string(pid);
    std::error_code error;
    const std::string program = fs::read_symlink(proc / "exe", error).filename();
    // "postgres (deleted)" after an upgrade of the package.
    if (error || program.substr(0, program.find(' ')) != "postgres") {
        return false;
    }
    return fs::equivalent(proc / "cwd", data, error) && !error;
}

std::optional<pid_t> to_pid(const std::string& text) {
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
    return error == std::errc() && pid > 0 ? std::optional(pid) : std::nullopt;
}

/// True for threads, too, and for processes that may not be signalled: as PostgreSQL sees it.
bool number_is_taken(pid_t pid) {
    return fs::exists(fs::path("/proc") / std::to_string(pid));
}

void move_aside_when_reused(const fs::path& lock_file) {
    const std::string text = read_file_if_any(lock_file);
    const std::optional<pid_t> pid = to_pid(text.substr(0, text.find('\n')));
    if (pid && number_is_taken(*pid)) {
        fs::rename(lock_file, lock_file.string() + ".stale");
    }
}

}  // namespace

std::optional<PidFile> read_pid_file(const fs::path& data) {
    std::istringstream lines(read_file_if_any(data / "postmaster.pid"));
    PidFile file;
    std::string pid, folder, start, port, socket, address, memory;
    std::getline(lines, pid);
    if (!to_pid(pid) || !std::getline(lines, folder)) {
        return std::nullopt;
    }
    std::getline(lines, start);
    std::getline(lines, port);
    std::getline(lines, socket);
    std::getline(lines, address);
    std::getline(lines, memory);
    std::getline(lines, file.status);
    file.pid = *to_pid(pid);
    file.data = folder;
    file.socket_folder = socket;
    file.status.erase(file.status.find_last_not_of(' ') + 1);
    return file;
}

std::vector<run::ProcessId> processes_on(const fs::path& data, const run::User& user) {
    const run::FileAccessAs as_user(user);  // root in a container may not look, the user may
    std::vector<run::ProcessId> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
        const std::optional<pid_t> pid = to_pid(entry.path().filename());
        if (!pid || !runs_on(*pid, data)) {
            continue;
        }
        if (const auto id = run::identify(*pid)) {
            found.push_back(*id);
        }
    }
    return found;
}

std::optional<run::ProcessId> running_postmaster(const fs::path& data, const run::User& user) {
    const run::FileAccessAs as_user(user);
    const std::optional<PidFile> file = read_pid_file(data);
    if (!file || !runs_on(file->pid, data)) {
        return std::nullopt;
    }
    return run::identify(file->pid);
}

void clear_leftovers(const fs::path& data, const fs::path& socket_folder, const run::User& user) {
    // Children notice the postmaster's death by themselves, at the latest after their statement.
    for (const auto& [signal, limit] : {std::pair(0, seconds(10)), std::pair(SIGQUIT, seconds(5)),
                                        std::pair(SIGKILL, seconds(5))}) {
        for (const run::ProcessId& left : processes_on(data, user)) {
            run::send_signal(left, signal);
        }
        const auto deadline = std::chrono::steady_clock::now() + limit;
        while (!processes_on(data, user).empty() && std::chrono::steady_clock::now() < deadline) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    }
    if (const auto left = processes_on(data, user); !left.empty()) {
        throw Error(ErrorCode::Unavailable, "PostgreSQL process " +
                                                std::to_string(left.front().pid) + " still uses " +
                                                data.string() + " and cannot be ended");
    }
    const run::FileAccessAs as_user(user);
    move_aside_when_reused(data / "postmaster.pid");
    move_aside_when_reused(socket_folder / (".s.PGSQL." + std::to_string(kSocketPort) + ".lock"));
}

void stop_postmaster(const run::ProcessId& postmaster, seconds limit) {
    run::send_signal(postmaster, SIGINT);
    if (run::wait_until_gone(postmaster, limit)) {
        return;
    }
    run::send_signal(postmaster, SIGQUIT);
    if (!run::wait_until_gone(postmaster, seconds(10))) {
        run::send_signal(postmaster, SIGKILL);
        run::wait_until_gone(postmaster, seconds(10));
    }
}

bool stop_orphan(const fs::path& state) {
    const fs::path data = state / "postgres";
    struct stat info {};
    if (::stat(data.c_str(), &info) != 0) {
        return false;
    }
    const auto postmaster = running_postmaster(data, run::find_user(info.st_uid));
    if (postmaster) {
        stop_postmaster(*postmaster, seconds(60));
    }
    return postmaster.has_value();
}

}  // namespace kaname::embedded
