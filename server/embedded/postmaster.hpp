// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "worker/run/process_id.hpp"

namespace kaname::embedded {

/// Holds the lines that PostgreSQL writes to postmaster.pid.
struct PidFile {
    pid_t pid = 0;
    std::filesystem::path data;
    std::filesystem::path socket_folder;  ///< empty while it starts
    std::string status;                   ///< "starting", "ready", "stopping" ...
};

/// Nothing when there is no such file, or only its beginning.
[[nodiscard]] std::optional<PidFile> read_pid_file(const std::filesystem::path& data);

/// A process is PostgreSQL on `data` when its program is named postgres and its working folder is
/// `data`; the number in a file proves nothing. `user` is who runs it.
[[nodiscard]] std::vector<run::ProcessId> processes_on(const std::filesystem::path& data,
                                                       const run::User& user);
/// The cluster's first process, when it runs.
[[nodiscard]] std::optional<run::ProcessId> running_postmaster(const std::filesystem::path& data,
                                                               const run::User& user);

/// Makes way for a new start when no postmaster runs: waits for what a killed one left behind
/// (then ends it), and moves lock files aside whose number now belongs to something else, over
/// which PostgreSQL would refuse to start. A file whose number is free stays: PostgreSQL itself
/// checks with it that no shared memory is in use. Throws Unavailable when processes remain.
void clear_leftovers(const std::filesystem::path& data, const std::filesystem::path& socket_folder,
                     const run::User& user);

/// Fast shutdown (sessions are ended, data is flushed); immediate when `limit` is over, which costs
/// a recovery at the next start.
void stop_postmaster(const run::ProcessId& postmaster, std::chrono::seconds limit);

/// Stops the cluster of a state folder that no server looks after; false when none runs.
bool stop_orphan(const std::filesystem::path& state);

}  // namespace kaname::embedded
