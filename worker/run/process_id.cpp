// SPDX-License-Identifier: BSD-3-Clause
#include "worker/run/process_id.hpp"

#include <cerrno>
#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "solvers/base/fd.hpp"

namespace kaname::run {
namespace {

std::string first_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

const std::string& boot_id() {
    static const std::string id = first_line("/proc/sys/kernel/random/boot_id");
    return id;
}

/// /proc/<tid> exists for every thread, under its own number.
bool is_thread_of_another(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/status");
    for (std::string key; file >> key; std::getline(file, key)) {
        pid_t group = 0;
        if (key == "Tgid:" && file >> group) {
            return group != pid;
        }
    }
    return false;
}

}  // namespace

std::optional<ProcessId> identify(pid_t pid) {
    if (pid <= 0) {
        return std::nullopt;
    }
    // pid (name) state ppid ...; the name may hold spaces and brackets. Field 22 is the start time.
    const std::string stat = first_line("/proc/" + std::to_string(pid) + "/stat");
    const std::size_t name_end = stat.rfind(')');
    if (name_end == std::string::npos || is_thread_of_another(pid)) {
        return std::nullopt;
    }
    std::istringstream fields(stat.substr(name_end + 1));
    std::string state, skipped;
    fields >> state;
    for (int field = 4; field < 22; ++field) {
        fields >> skipped;
    }
    ProcessId id{pid, 0, boot_id()};
    if (!(fields >> id.start_ticks) || state == "Z" || state == "X") {
        return std::nullopt;
    }
    return id;
}

bool is_running(const ProcessId& id) {
    return identify(id.pid) == id;
}

void wait_for_end(const ProcessId& id, int other, std::chrono::milliseconds look) {
    const Fd process(static_cast<int>(::syscall(SYS_pidfd_open, id.pid, 0)));
    const bool known = process.open() && is_running(id);
    if (!known && !is_running(id)) {
        return;
    }
    pollfd sources[] = {{other, POLLIN, 0}, {process.get(), POLLIN, 0}};
    (void)::poll(sources, 2, known ? -1 : static_cast<int>(look.count()));
}

bool send_signal(const ProcessId& id, int signal) {
    // The descriptor keeps naming the process that is looked at next, even when it ends meanwhile.
    const Fd process(static_cast<int>(::syscall(SYS_pidfd_open, id.pid, 0)));
    if (!process.open() && errno != ENOSYS) {
        return false;
    }
    if (!is_running(id)) {
        return false;
    }
    if (!process.open()) {  // kernels before 5.3
        return ::kill(id.pid, signal) == 0;
    }
    return ::syscall(SYS_pidfd_send_signal, process.get(), signal, nullptr, 0) == 0;
}

bool wait_until_gone(const ProcessId& id, std::chrono::milliseconds limit) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (is_running(id)) {
        if (std::chrono::steady_clock::now() >= deadline) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return true;
}

std::string to_text(const ProcessId& id) {
    return std::to_string(id.pid) + " " + std::to_string(id.start_ticks) + " " + id.boot_id + "\n";
}

std::optional<ProcessId> parse_process_id(const std::string& text) {
    std::istringstream fields(text);
    ProcessId id;
    if (!(fields >> id.pid >> id.start_ticks >> id.boot_id) || id.pid <= 0) {
        return std::nullopt;
    }
    return id;
}

}  // namespace kaname::run
