// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "server/launcher/slurm/pool.hpp"
#include "server/space/collector.hpp"
#include "server/store/dataset_store.hpp"
#include "server/store/owner_store.hpp"
#include "worker/command/command.hpp"

namespace kaname::program {

/// Holds which files and rows are kept and for how long, and how much space stays free.
struct SpaceOptions {
    std::string min_free = "auto";
    double sweep_every_s = 3600, grace_hours = 24;
    double partial_days = 7, unreferenced_days = 30, history_days = 30, audit_days = 400;

    [[nodiscard]] space::Keeping keeping() const;
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

}  // namespace kaname::program
