// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "server/program/options.hpp"
#include "server/program/slurm_pools.hpp"

namespace kaname::program {

/// One thing that was looked at; status: ok, warn, fail.
struct Finding {
    std::string name, status, detail, hint;
};

/// Checks whether a server with these options would find what it needs: folders, certificate,
/// database, Slurm's commands, and for each pool whether a job would be accepted. Starts and
/// changes nothing, but makes missing folders.
[[nodiscard]] std::vector<Finding> check_options(const Options& options, const ServerPlace& place);

/// A line each, fields apart by tabs: what kaname doctor reads.
[[nodiscard]] std::string to_lines(const std::vector<Finding>& findings);

}  // namespace kaname::program
