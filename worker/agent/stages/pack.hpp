// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "proto/kaname/v1/workers_service.pb.h"
#include "worker/agent/stages/attempt_log.hpp"
#include "worker/agent/stages/holder.hpp"

namespace kaname::agent {

/// The tasks of one claim at work.
struct Pack {
    const v1::ClaimResponse& claimed;
    Holder& holder;
    AttemptLog& log;
    std::filesystem::path folder = {};    ///< the pack's own
    std::vector<std::string> given = {};  ///< options of its verb: specification, files, inputs
    std::vector<std::filesystem::path> readable = {};  ///< the files that these options name

    [[nodiscard]] const v1::Task& first() const { return claimed.tasks(0); }
};

/// Made describes the outcome of one task.
struct Made {
    v1::TaskRef ref;
    std::filesystem::path file = {};  ///< its result
    bool partial = false;             ///< the result lacks items that failed
    bool failed = false;
    std::string failure = {};  ///< why
};

/// Fetches what the claim names, and says so in `given` and `readable`.
void lay_inputs(Pack& pack);

}  // namespace kaname::agent
