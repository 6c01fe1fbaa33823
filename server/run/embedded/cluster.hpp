// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "server/run/embedded/binaries.hpp"
#include "solvers/base/files.hpp"
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

struct ClusterOptions {
    std::filesystem::path state;                  ///< absolute; the caller holds its StateLock
    std::string db_user;                          ///< see choose_db_user
    std::filesystem::path binaries;               ///< empty: found, see find_binaries
    std::filesystem::path runtime;                ///< empty: chosen, see make_socket_folder
    std::function<void(const std::string&)> log;  ///< one line each, from any thread
};

/// A private PostgreSQL cluster in <state>/postgres, reached through a Unix socket alone. It goes
/// on when its server dies, whose successor adopts it.
class Cluster {
public:
    explicit Cluster(ClusterOptions options);
    /// Ends the supervision; a cluster that was not stopped runs on.
    ~Cluster();
    Cluster(const Cluster&) = delete;
    Cluster& operator=(const Cluster&) = delete;

    /// Makes the cluster at the first start, starts or adopts it, and from then on starts it again
    /// whenever it ends. Throws InvalidArgument (network disk, unfit user, folder that cannot be
    /// reached), NotFound (no PostgreSQL), NotReady (other major version), Conflict (something else
    /// in its place), Unavailable (with the end of its log).
    void start();
    /// Flushes and stops it.
    void stop();

    /// Connection string for libpq.
    [[nodiscard]] std::string conninfo() const;
    [[nodiscard]] run::ProcessId postmaster() const;

private:
    void prepare_state_folder();
    [[nodiscard]] bool adopt();
    void launch();
    void wait_until_ready(const run::ProcessId& postmaster) const;
    void supervise();
    void end_supervision();
    void log(const std::string& line) const;

    ClusterOptions options_;
    std::filesystem::path data_, log_file_, socket_folder_;
    run::User user_;
    Binaries binaries_;

    mutable std::mutex mutex_;
    std::condition_variable ending_;
    Event ended_;  ///< what end_ says
    bool end_ = false;
    run::ProcessId postmaster_;
    std::thread supervisor_;
};

/// Connection string of the cluster of a state folder whose server runs; nothing: its cluster does
/// not answer for itself. Throws as choose_db_user does.
[[nodiscard]] std::optional<std::string> running_conninfo(const std::filesystem::path& state,
                                                          const std::string& db_user);

}  // namespace kaname::embedded
