// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace kaname::run {

/// A process and no other: the kernel gives a number again, but never with the same start time
/// since the same boot.
struct ProcessId {
    pid_t pid = -1;
    std::uint64_t start_ticks = 0;  ///< clock ticks from the boot to the start
    std::string boot_id;

    friend bool operator==(const ProcessId&, const ProcessId&) = default;
};

/// Nothing when there is no such process, or only a zombie of it. Threads are not processes.
[[nodiscard]] std::optional<ProcessId> identify(pid_t pid);
[[nodiscard]] bool is_running(const ProcessId& id);

/// Waits until the process has ended or the descriptor `other` can be read, without looking in
/// between; on kernels before 5.3 no longer than `look`.
void wait_for_end(const ProcessId& id, int other, std::chrono::milliseconds look);
/// True when it was running and got the signal; another process of the same number never gets it.
bool send_signal(const ProcessId& id, int signal);
/// True when it has ended before `limit` is over.
bool wait_until_gone(const ProcessId& id, std::chrono::milliseconds limit);

/// One line for pid files: "<pid> <start_ticks> <boot_id>\n".
[[nodiscard]] std::string to_text(const ProcessId& id);
/// Nothing when the text is not such a line.
[[nodiscard]] std::optional<ProcessId> parse_process_id(const std::string& text);

/// A user that a child is to run as.
struct User {
    std::string name;
    uid_t uid = 0;
    gid_t gid = 0;
    std::vector<gid_t> groups;  ///< all of them, gid included
};

/// Throws NotFound when the system has no such user.
[[nodiscard]] User find_user(const std::string& name);
/// Throws NotFound for a number without an entry.
[[nodiscard]] User find_user(uid_t uid);

/// Gives up all other rights for good; for a child between fork and exec (async-signal-safe).
/// False with errno when that is not allowed.
[[nodiscard]] bool become_user(const User& user);

/// While it lives, this thread opens, makes and reads files (and /proc entries) as the user would:
/// what root writes into another user's folder must not follow that user's links to elsewhere. Does
/// nothing for a thread that has no right to change users, or for its own user.
class FileAccessAs {
public:
    explicit FileAccessAs(const User& user);
    ~FileAccessAs();
    FileAccessAs(const FileAccessAs&) = delete;
    FileAccessAs& operator=(const FileAccessAs&) = delete;

private:
    uid_t uid_before_;
    gid_t gid_before_;
};

/// Overwrites the password of a libpq connection string with x, in place and of the same length;
/// false when it has none. `text` ends with a zero byte.
bool hide_password(char* text);
/// Hides the password in the argument that follows `option`, or in `option`=...: other users of the
/// machine see the arguments of a program for as long as it runs. Returns false if there was none.
bool hide_password(int argc, char** argv, const std::string& option);

}  // namespace kaname::run
