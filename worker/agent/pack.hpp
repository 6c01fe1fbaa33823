// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "worker/agent/agent.hpp"

namespace kaname::agent {

/// The tasks of one claim and what they need on disk.
struct Agent::Pack {
    v1::ClaimResponse claimed;
    std::vector<v1::Task> tasks;
    std::filesystem::path folder;    ///< the pack's own, removed afterwards
    std::vector<std::string> given;  ///< options of its verb: specification, files, inputs
    std::string log;                 ///< text not sent yet
    Clock::time_point log_sent{}, begun = Clock::now();
};

}  // namespace kaname::agent
