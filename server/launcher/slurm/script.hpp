// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "server/launcher/slurm/pool.hpp"

namespace kaname::launcher {

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
