// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "worker/agent/stages/watch.hpp"
#include "worker/run/events.hpp"

namespace kaname::agent {

/// Callbacks holds the functions by which a running verb reports, and asks whether to go on.
struct Callbacks {
    std::function<void(const run::Progress&)> on_progress;
    std::function<void(const std::string&)> on_log;
    /// Called a few times per second; what it throws ends the verb.
    std::function<void()> check;
    std::function<void(const run::Checkpoint&)> on_checkpoint;
    /// True once the tasks are no longer wanted.
    std::function<bool()> cancelled;
};

}  // namespace kaname::agent
