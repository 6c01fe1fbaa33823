// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "worker/agent/stages/callbacks.hpp"
#include "worker/run/compute_session.hpp"

namespace kaname::agent {

/// MadeItem describes the outcome of one item of a pack.
struct MadeItem {
    std::string id;
    std::filesystem::path file;
    bool failed = false;
    std::string failure;
};

/// One `kaname-compute VERB --serve`: set up once, then pack after pack.
class VerbSession {
public:
    /// Starts and waits until it is ready; the arguments begin with the verb. Throws what the
    /// program reports, Broken when it crashes or hangs.
    VerbSession(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                run::Ranks ranks, const run::ResourceLimits& limits, std::chrono::seconds hang,
                const Callbacks& callbacks, const std::string& traceparent);
    VerbSession(const VerbSession&) = delete;
    VerbSession& operator=(const VerbSession&) = delete;

    /// Throws Dropped when the pack was cancelled, Broken when the session is dead afterwards, and
    /// what the program reports about the pack, after which the session goes on.
    std::vector<MadeItem> run(const std::vector<std::string>& ids, const Callbacks& callbacks,
                              const std::string& traceparent);

private:
    /// The next result or failure.
    run::Event wait(const Callbacks& callbacks);

    std::string name_;  ///< program and verb, for errors
    run::ComputeSession session_;
    HangWatch watch_;
    int n_packs_ = 0;
};

}  // namespace kaname::agent
