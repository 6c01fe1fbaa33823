// SPDX-License-Identifier: BSD-3-Clause
#include "worker/run/process_id.hpp"

#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>
#include <thread>

#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"

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

namespace {

User from_entry(const passwd& entry) {
    User user{entry.pw_name, entry.pw_uid, entry.pw_gid, {}};
    int n_groups = 64;
    user.groups.resize(static_cast<std::size_t>(n_groups));
    if (::getgrouplist(entry.pw_name, entry.pw_gid, user.groups.data(), &n_groups) < 0) {
        user.groups.resize(static_cast<std::size_t>(n_groups));
        ::getgrouplist(entry.pw_name, entry.pw_gid, user.groups.data(), &n_groups);
    }
    user.groups.resize(static_cast<std::size_t>(n_groups));
    return user;
}

}  // namespace

User find_user(const std::string& name) {
    const passwd* entry = ::getpwnam(name.c_str());
    if (entry == nullptr) {
        throw Error(ErrorCode::NotFound, "user " + name + ": this system has none");
    }
    return from_entry(*entry);
}

User find_user(uid_t uid) {
    const passwd* entry = ::getpwuid(uid);
    if (entry == nullptr) {
        throw Error(ErrorCode::NotFound,
                    "user number " + std::to_string(uid) + ": no entry in the user database");
    }
    return from_entry(*entry);
}

bool become_user(const User& user) {
    // Plain system calls: glibc's functions also signal the other threads, which fork left behind.
    return ::syscall(SYS_setgroups, user.groups.size(), user.groups.data()) == 0 &&
           ::syscall(SYS_setresgid, user.gid, user.gid, user.gid) == 0 &&
           ::syscall(SYS_setresuid, user.uid, user.uid, user.uid) == 0;
}

// Group first and last: changing it needs the rights that leaving user 0 takes away.
FileAccessAs::FileAccessAs(const User& user) : uid_before_(::geteuid()), gid_before_(::getegid()) {
    ::setfsgid(user.gid);
    ::setfsuid(user.uid);
}

FileAccessAs::~FileAccessAs() {
    ::setfsuid(uid_before_);
    ::setfsgid(gid_before_);
}

namespace {

constexpr char kCover = 'x';

char* skip_spaces(char* at) {
    while (std::isspace(static_cast<unsigned char>(*at)) != 0) {
        ++at;
    }
    return at;
}

/// A value as libpq reads it: in quotes, where a backslash takes the next one, or to a space; in a
/// URI to the next parameter.
bool cover_value(char* at, bool uri) {
    const bool quoted = !uri && *at == '\'';
    at += quoted ? 1 : 0;
    bool any = false;
    while (*at != '\0') {
        const bool ends = quoted ? *at == '\''
                          : uri  ? *at == '&'
                                 : std::isspace(static_cast<unsigned char>(*at)) != 0;
        if (ends) {
            break;
        }
        if (*at == '\\' && at[1] != '\0' && !uri) {
            *at++ = kCover;
        }
        *at++ = kCover;
        any = true;
    }
    return any;
}

}  // namespace

bool hide_password(char* text) {
    bool any = false;
    char* const scheme = std::strstr(text, "://");
    const bool uri = scheme != nullptr;
    if (uri) {  // user:password@host
        char* const user = scheme + 3;
        char* const end = user + std::strcspn(user, "/?");
        char* host = end;
        while (host > user && *(host - 1) != '@') {
            --host;
        }
        for (char* at = user; host > user && at < host - 1; ++at) {
            if (*at == ':') {
                any = host - 1 - at > 1;
                std::memset(at + 1, kCover, static_cast<std::size_t>(host - 1 - (at + 1)));
                break;
            }
        }
    }
    constexpr std::string_view kWord = "password";
    for (char* at = std::strstr(text, kWord.data()); at != nullptr;
         at = std::strstr(at, kWord.data())) {
        at += kWord.size();
        char* const equals = uri ? at : skip_spaces(at);
        if (*equals == '=') {
            char* const value = uri ? equals + 1 : skip_spaces(equals + 1);
            any = cover_value(value, uri) || any;
        }
    }
    return any;
}

bool hide_password(int argc, char** argv, const std::string& option) {
    bool any = false;
    for (int k = 1; k < argc; ++k) {
        const std::string_view word = argv[k];
        if (word == option && k + 1 < argc) {
            any = hide_password(argv[++k]) || any;
        } else if (word.starts_with(option + '=')) {
            any = hide_password(argv[k] + option.size() + 1) || any;
        }
    }
    return any;
}

}  // namespace kaname::run
