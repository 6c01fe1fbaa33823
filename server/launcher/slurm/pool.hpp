// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "solvers/base/error.hpp"

namespace kaname::launcher {

/// Workers that one kind of batch job makes.
struct SlurmPool {
    std::string name;                 ///< 1..20 lower-case letters, digits and hyphens
    std::vector<std::string> serves;  ///< pools of tasks: cpu, solve
    std::string partition = {}, account = {}, qos = {};  ///< empty: Slurm's default
    int nodes = 1;
    int ranks = 1, threads = 1;  ///< threads of each rank
    int gpus_per_node = 0;
    double memory_gb = 0;  ///< of a node; 0: Slurm's default
    double time_limit_s = 3600;
    double leave_before_s = 120;  ///< the worker gives back what it holds so long before that
    int max_workers = 1;
    double idle_exit_s = 60;
    std::string device = "auto";
    std::string launch = "mpirun";          ///< what starts several ranks: mpirun, srun
    std::vector<std::string> options = {};  ///< more of sbatch's, as "--constraint=a100"
    std::filesystem::path scratch = {};     ///< parent of workers' folders; empty: TMPDIR, /tmp
    std::filesystem::path setup = {};       ///< sourced before the worker starts; empty: nothing
};

/// Holds the settings that all pools share.
struct SlurmSite {
    std::string server;   ///< host:port, as nodes reach the server
    std::string ca = {};  ///< PEM: what its certificate is known by; empty: no TLS
    std::filesystem::path certificate = {},
                          key = {};  ///< PEM files on the nodes, to show the server
    std::filesystem::path agent;     ///< kaname-agent, on the nodes
    /// Logs and exit codes of jobs; nodes see it, and nobody else may read it.
    std::filesystem::path folder;
    double poll_s = 30;        ///< at least, between two looks at the queue
    double command_s = 60;     ///< a command that takes longer is ended
    double no_server_s = 300;  ///< a worker without a server that takes its token leaves
    double vanish_s = 120;     ///< a job of which nothing is known for so long has ended
};

/// Everything that is wrong with one, with field paths below `path`.
[[nodiscard]] std::vector<Violation> check_pool(const SlurmPool& pool, const std::string& path);

/// sbatch's options in the order of its help; what the worker is to run comes on its stdin.
[[nodiscard]] std::vector<std::string> sbatch_options(const SlurmPool& pool);

struct WorkerIdentity {
    std::string job;    ///< name of the batch job
    std::string agent;  ///< name of the worker and of its token
    std::string token;  ///< good for one live worker; the script is its only copy
};

/// Returns the script of the batch job: it runs one worker in a scratch folder of its own, which is
/// removed at its end. Command lines and environments hold names and paths alone, no secrets.
[[nodiscard]] std::string worker_script(const SlurmSite& site, const SlurmPool& pool,
                                        const WorkerIdentity& who);

/// `text` as one word of a shell, whatever it holds.
[[nodiscard]] std::string quoted(const std::string& text);

}  // namespace kaname::launcher
