// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "server/launcher/slurm/dispatches.hpp"
#include "server/launcher/slurm/pool.hpp"
#include "server/scheduler/housekeeper.hpp"
#include "server/space/garbage_collector.hpp"
#include "server/store/access_store.hpp"
#include "server/store/dataset_store.hpp"
#include "worker/command/command.hpp"

namespace kaname::program {

/// Holds which files and rows are kept and for how long, and how much space stays free.
struct SpaceOptions {
    std::string min_free = "auto";
    double sweep_every_s = 3600, grace_hours = 24;
    double partial_days = 7, unreferenced_days = 30, history_days = 30, audit_days = 400;

    [[nodiscard]] space::RetentionTimes keeping() const;
};

/// Holds the settings that only a configuration file gives.
struct ConfigOptions {
    std::string file;                     ///< empty: none
    std::vector<std::string> overridden;  ///< options of the command line that won over it
    launcher::SlurmSite site;
    std::vector<launcher::SlurmPool> pools;  ///< empty: no Slurm
    double withdraw_after_s = 60;
    std::vector<store::OwnerQuota> quotas;  ///< of owners that have none yet
    store::DatasetRetention datasets;       ///< none by default
};

/// Holds the options of kaname-server. An empty one has the default that the help text gives.
struct Options {
    SpaceOptions space;
    ConfigOptions config;
    std::string state, database, db_user, binaries, artifacts;
    std::string listen, tls, tls_cert, tls_key, tls_client_ca;
    std::string device = "auto", metrics, http, page_folder, log_format = "text";
    int workers = 1, ranks = 1, threads = 0;
    double idle_exit_s = 600, lease_s = 30, max_upload_gb = 256;
    bool check_only = false, insecure = false, stop_workers = false;
    std::vector<std::string> said;  ///< options of the command line and its variables
};

/// A file with these and more; see read_config.
void add_config(command::Command& app, Options& options);
/// Where the state and the database are; `with_database` when the command opens it.
void add_place(command::Command& app, Options& options, bool with_database);
/// Who is served, with what, and by how many agents.
void add_serving(command::Command& app, Options& options);
/// Each has an environment variable too, for who starts the server with kaname up.
void add_space(command::Command& app, SpaceOptions& options);

/// In the state folder: files named as the jobs that live, and one by which `stop --workers` tells
/// the server that these end with it.
inline constexpr const char* kSlurmMarks = "slurm/jobs";
inline constexpr const char* kStopWorkers = "stop-workers";

/// Sets the configuration's quotas for owners that have no quota: a quota that an operator set
/// stays.
void give_first_quotas(store::Store& store, const ConfigOptions& config);

/// Describes a server that has begun to listen.
struct ServerPlace {
    std::filesystem::path state, agent;  ///< kaname-agent beside this program
    std::string host;                    ///< name of this machine
    std::string listen;                  ///< as it was told
    int port = 0;                        ///< that it got
    std::string certificate;             ///< PEM; empty: no TLS
    bool self_signed = false;            ///< callers know it by the certificate itself
};

/// `site` with what the file left out: the address at which nodes reach the server, its authority,
/// kaname-agent, the folder of logs.
[[nodiscard]] launcher::SlurmSite complete_site(launcher::SlurmSite site, const ServerPlace& place);

/// The pools of a configuration as launchers.
class SlurmPools {
public:
    /// `store` outlives it. Throws Unavailable when a folder cannot be made.
    SlurmPools(store::Store& store, const ConfigOptions& config,
               launcher::DispatchesOptions dispatches);

    /// Before housekeeper.start(); this outlives it.
    void join(scheduler::Housekeeper& housekeeper);
    void stop_all(std::chrono::seconds grace);

private:
    double poll_s_, withdraw_after_s_;
    launcher::Dispatches dispatches_;
    std::vector<std::unique_ptr<launcher::SlurmLauncher>> launchers_;
};

/// Reads the file that options.config.file names into the options that were not given, and into
/// options.config; names of files in it are relative to its folder. What the command line (or a
/// variable) says wins, and is told in options.config.overridden. Throws ValidationError with
/// everything that is wrong, each with field and line, NotFound or Unavailable where a file cannot
/// be read.
void read_config(const command::Given& given, Options& options);

}  // namespace kaname::program
