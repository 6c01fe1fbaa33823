// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>

#include "worker/agent/agent.hpp"

namespace kaname::agent {

/// The tasks of one claim and what they need on disk.
struct Agent::Pack {
    v1::ClaimResponse claimed;
    std::vector<v1::Task> tasks;
    std::filesystem::path folder;                         ///< of its own, removed afterwards
    std::filesystem::path spec;                           ///< JSON with local paths
    std::map<std::string, std::filesystem::path> inputs;  ///< by label
    std::string log;                                      ///< not sent yet
    Clock::time_point log_sent{}, begun = Clock::now();
};

}  // namespace kaname::agent
