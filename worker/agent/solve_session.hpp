// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "worker/agent/watch.hpp"
#include "worker/run/compute_session.hpp"

namespace kaname::agent {

struct SolvedSource {
    std::string id;
    std::filesystem::path file;
    bool failed = false;
    std::string failure;
};

/// What a session tells its owner while it works.
struct SessionCallbacks {
    std::function<void(const run::Progress&)> on_progress;
    std::function<void(const std::string&)> on_log;
    /// Called a few times per second; what it throws ends the session.
    std::function<void()> check;
    std::function<void(const run::Checkpoint&)> on_checkpoint;
    /// True once the pack is no longer wanted.
    std::function<bool()> cancelled;
};

/// One `kaname-compute solve --serve`: set up once, then pack after pack.
class SolveSession {
public:
    /// Starts and waits until it is ready. Throws what the program reports, Broken when it crashes
    /// or hangs.
    SolveSession(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                 int ranks, std::chrono::seconds hang, const SessionCallbacks& callbacks);
    SolveSession(const SolveSession&) = delete;
    SolveSession& operator=(const SolveSession&) = delete;

    /// Throws Dropped when the pack was cancelled, Broken when the session is dead afterwards, and
    /// what the program reports about the pack, after which the session goes on.
    std::vector<SolvedSource> solve(const std::vector<std::string>& ids,
                                    const SessionCallbacks& callbacks);

private:
    /// The next result or failure.
    run::Event wait(const SessionCallbacks& callbacks);

    run::ComputeSession session_;
    HangWatch watch_;
    int n_packs_ = 0;
};

}  // namespace kaname::agent
