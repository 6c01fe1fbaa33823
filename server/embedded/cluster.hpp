// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "server/embedded/binaries.hpp"
#include "solvers/base/files.hpp"
#include "worker/run/process_id.hpp"

namespace kaname::embedded {

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
