// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <csignal>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "solvers/base/files.hpp"
#include "worker/run/confinement.hpp"
#include "worker/run/process_id.hpp"

namespace kaname::run {

/// ResourceLimits bounds a child, and each of its own children; 0: no limit of its own.
struct ResourceLimits {
    std::uint64_t memory_bytes = 0;               ///< address space
    std::uint64_t file_bytes = 0;                 ///< of one file that it writes
    std::uint64_t cpu_s = 0;                      ///< of all threads together
    std::uint64_t open_files = 0;                 ///< at a time
    std::optional<Confinement> confinement = {};  ///< nothing: whatever its user may touch
};

struct SpawnOptions {
    std::vector<std::string> argv;  ///< argv[0]: a path, or a name looked up in PATH
    /// Changes to the parent's environment; no value removes the variable.
    std::map<std::string, std::optional<std::string>> env;
    /// Sent to the child when the thread that spawned it ends. A program with children of its own
    /// (mpirun) needs SIGTERM, so that it can stop them.
    int death_signal = SIGKILL;
    std::string work_dir = {};      ///< empty: the parent's
    std::optional<User> user = {};  ///< only root may name another
    ResourceLimits limits = {};
};

struct ExitStatus {
    int code = 0;    ///< meaningful when signal is 0
    int signal = 0;  ///< the signal that ended it, or 0

    [[nodiscard]] bool ok() const { return code == 0 && signal == 0; }
    [[nodiscard]] std::string text() const;  ///< "exit code 3", "signal 9 (Killed)"
};

enum class Source { Stdout, Stderr };

/// A line that is longer than this is cut, and says so; a line that begins as an event (events.hpp)
/// may have 64 MiB.
inline constexpr std::size_t kLongestLine = 1U << 20U, kLongestEvent = 64U << 20U;

/// A child in a process group of its own, with pipes for its three standard streams and no other
/// descriptor of the parent. No shell takes part. Destruction kills the group and reaps the child.
/// Processes that a child leaves running in its group end with it; where orphans are adopted
/// (orphans.hpp), so do those that left the group.
class Process {
public:
    /// Throws InvalidArgument on an empty argv, NotFound when the program does not exist,
    /// Unavailable when it cannot be started.
    explicit Process(const SpawnOptions& options);
    ~Process();
    Process(Process&& other) noexcept;
    Process& operator=(Process&&) = delete;

    [[nodiscard]] pid_t pid() const { return pid_; }

    /// False when the child no longer reads.
    bool write_stdin(std::string_view text);
    void close_stdin() { stdin_.close(); }

    using OnLine = std::function<void(Source, std::string_view line)>;
    /// Hands over the complete lines that arrive within `timeout` (without the newline; the last
    /// one may lack it). Returns early on a signal. False once both streams have ended, or the
    /// child has, and a second later something that it left still holds them.
    bool read_lines(std::chrono::milliseconds timeout, const OnLine& on_line);

    [[nodiscard]] std::optional<ExitStatus> try_wait();
    ExitStatus wait();
    /// SIGTERM to the group, SIGKILL after `grace`; reaps the child.
    ExitStatus terminate(std::chrono::milliseconds grace);

private:
    struct Reader {
        Fd fd;
        std::string pending;         ///< the beginning of a line
        std::uint64_t left_out = 0;  ///< bytes of that line
    };
    static void read_available(Reader& reader, Source source, const OnLine& on_line);
    static void keep(Reader& reader, std::string_view piece);
    static void hand_over(Reader& reader, Source source, const OnLine& on_line);
    static void end(Reader& reader, Source source, const OnLine& on_line);
    void kill_group(int signal) const;
    /// Returns whether the child has ended; with `wait` it waits for that.
    [[nodiscard]] bool has_ended(bool wait) const;
    void reap();

    pid_t pid_ = -1;
    std::string mark_;  ///< of what it starts, in the environment
    std::optional<std::chrono::steady_clock::time_point> ended_;
    std::optional<ExitStatus> status_;
    Fd stdin_;
    Reader stdout_, stderr_;
};

/// Full path of a program: `name` itself when it holds a slash, else the first executable of that
/// name in PATH. Nothing when there is none.
[[nodiscard]] std::optional<std::string> find_program(const std::string& name);

}  // namespace kaname::run
