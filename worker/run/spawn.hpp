// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <initializer_list>

#include "worker/run/process.hpp"

namespace kaname::run {

struct SpawnedChild {
    pid_t pid = -1;
    Fd in, out, err;  ///< the parent's ends
};

/// Fork and exec, with the errors that Process documents. A failed exec is seen here and not as a
/// strange exit code: the child reports errno through a pipe that a successful exec closes.
[[nodiscard]] SpawnedChild spawn(const SpawnOptions& options);

/// The steps that spawn and start_detached share.
/// Path of the program argv[0]; throws as Process documents.
[[nodiscard]] std::string resolve_program(const std::vector<std::string>& argv);
/// "NAME=value" of this process' environment with the changes of SpawnOptions::env.
[[nodiscard]] std::vector<std::string> merged_environment(
    const std::map<std::string, std::optional<std::string>>& changes);
/// Null-terminated, for exec; points into `strings`.
[[nodiscard]] std::vector<char*> pointers(std::vector<std::string>& strings);
/// Waits until the pipe's other end is closed by exec, or the child writes errno; 0 for success.
[[nodiscard]] int exec_error(const Fd& status);
[[noreturn]] void throw_not_started(const std::string& program, int cause);

/// The program that a child becomes; made before the fork, as only async-signal-safe calls are
/// allowed between fork and exec. Both functions below are for that time.
struct ChildProgram {
    const char* path;
    char* const* argv;
    char* const* envp;
    const char* work_dir;
    const User* user;  ///< may be null
    int status;        ///< pipe that takes errno
};
/// Unblocks all signals, and gives `changed` their default actions.
void reset_signals(std::initializer_list<int> changed);
/// Reports `cause` to exec_error and ends the child.
[[noreturn]] void end_unstarted(const ChildProgram& program, int cause);

}  // namespace kaname::run
