// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "worker/run/process_id.hpp"
#include "worker/run/spawn.hpp"

namespace kaname::run {

struct DetachedOptions {
    std::vector<std::string> argv;  ///< argv[0]: a path, or a name looked up in PATH
    /// Changes to the starter's environment; no value removes the variable.
    std::map<std::string, std::optional<std::string>> env = {};
    std::filesystem::path log = {};  ///< stdout and stderr are appended to it; made with mode 0600
    std::filesystem::path work_dir = "/";
    std::optional<User> user = {};  ///< only root may name another
    /// Called with the process before its program begins, so that a record of it is on disk first.
    /// When it throws, or the starter dies in it, the program never runs.
    std::function<void(const ProcessId&)> before_exec = {};
};

/// Starts a program that outlives its starter: session leader, child of init, stdin /dev/null, none
/// of the starter's descriptors. Returns once exec has succeeded; when exec fails the process is
/// gone before the error is thrown. Throws InvalidArgument on an empty argv, NotFound when the
/// program does not exist, Unavailable when the log cannot be opened or the program cannot be
/// started.
[[nodiscard]] ProcessId start_detached(const DetachedOptions& options);

/// Makes this process the parent of what its children leave behind, processes that left their group
/// too. From now on every Process marks the environment of its child, and when that ends, whatever
/// has its mark, or none that a living child has, is killed. For programs all of whose children are
/// of class Process.
void adopt_orphans();

/// Spawns a child and remembers it until it is forgotten; `mark` is empty where orphans are not
/// adopted. Throws as spawn does.
[[nodiscard]] SpawnedChild spawn_marked(const SpawnOptions& options, std::string& mark);

/// Forgets a child that was reaped; where orphans are adopted, kills and reaps what it left.
void forget(pid_t pid, const std::string& mark);

}  // namespace kaname::run
