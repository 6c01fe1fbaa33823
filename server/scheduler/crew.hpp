// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "server/launcher/launcher.hpp"
#include "server/scheduler/backlog.hpp"
#include "server/store/store.hpp"

namespace kaname::scheduler {

struct CrewOptions {
    BacklogOptions backlog;
    /// Workers whose name begins so are the launcher's.
    std::string agent_prefix = "local-";
    /// The machine that the launcher starts agents on, and whether these use its GPUs; empty: it
    /// starts them on many.
    std::string host = {};
    bool uses_gpus = true;
    std::vector<std::string> pools = {};  ///< of tasks that its agents claim; empty: all
    std::string what = "agent";           ///< what it starts, for the log
};

/// One launcher and how many agents it is to have.
class Crew {
public:
    /// `launcher` and `store` outlive it.
    Crew(store::Store& store, launcher::Launcher& launcher, CrewOptions options,
         std::function<void(const std::string&)> log);

    /// Starts and withdraws what the waiting tasks need; `earlier` come first with those of pools
    /// that both serve. Throws what the store and the launcher do, but for a failed start, which is
    /// logged and tried later. `quiet`: nobody wants anything, so it looks for drains rarely.
    void staff(double now_s, const std::vector<const Crew*>& earlier, bool quiet = false);

private:
    [[nodiscard]] bool shares_pool_with(const Crew& other) const;
    [[nodiscard]] std::int64_t ready(const std::vector<const Crew*>& earlier);
    /// Names what is cordoned or drained on the launcher's machine; empty: nothing.
    [[nodiscard]] std::string drained();
    void look_for_drains();
    void start(int n, std::int64_t ready, double now_s);

    store::Store& store_;
    launcher::Launcher& launcher_;
    CrewOptions options_;
    std::function<void(const std::string&)> log_;
    Backlog backlog_;
    std::string last_drained_;
    double looked_for_drains_s_ = -1e9;
    /// Waiting tasks that its agents without work, started or on their way, are there for.
    std::atomic<std::int64_t> awaited_ = 0;
};

}  // namespace kaname::scheduler
