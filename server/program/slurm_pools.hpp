// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "server/launcher/slurm/slurm_launcher.hpp"
#include "server/program/options.hpp"
#include "server/scheduler/housekeeper.hpp"

namespace kaname::program {

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

}  // namespace kaname::program
