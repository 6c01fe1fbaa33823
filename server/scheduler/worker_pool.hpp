// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "server/launcher/launcher.hpp"
#include "server/store/store.hpp"

namespace kaname::scheduler {

/// Seconds of a clock that never jumps; its zero means nothing. Injected, so that tests set it.
using Clock = std::function<double()>;

/// CLOCK_MONOTONIC.
[[nodiscard]] double monotonic_s();

struct BacklogOptions {
    int max_agents = 1;        ///< 0: none are ever started
    int pack = 4;              ///< ready tasks that one agent takes at once
    double early_end_s = 20;   ///< an agent that ends so soon has failed to start
    double first_pause_s = 2;  ///< after a failed start; doubles with each
    double longest_pause_s = 300;
    double withdraw_after_s = 60;  ///< for which agents that wait to begin were too many
};

struct BacklogCounts {
    std::int64_t ready = 0;  ///< tasks that a worker could take now
    int alive = 0;           ///< agents of the launcher, whether registered or not
    int busy = 0;            ///< agents that hold tasks
    int waiting = 0;         ///< agents that a batch system has not begun yet; among those alive
};

/// How many agents to start: as many as the ready tasks need packs, less those that are free or on
/// their way, within the limit. Agents leave by themselves when they are idle. Starts that fail, or
/// agents that end at once while work is waiting, make the next ones wait longer and longer.
class Backlog {
public:
    explicit Backlog(BacklogOptions options) : options_(options) {}

    /// `now_s` of a monotonic clock.
    [[nodiscard]] int to_start(const BacklogCounts& counts, double now_s);
    /// Agents that wait to begin and that nothing needs any more, once that has lasted.
    [[nodiscard]] int to_withdraw(const BacklogCounts& counts, double now_s);
    void started(double now_s);
    void failed(double now_s);

private:
    BacklogOptions options_;
    int n_failures_ = 0;
    int expected_alive_ = 0;  ///< had no agent ended since the last look
    std::optional<double> too_many_since_s_;
    double last_start_s_ = -1e9, not_before_s_ = -1e9;
};

struct WorkerPoolOptions {
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
class WorkerPool {
public:
    /// `launcher` and `store` outlive it.
    WorkerPool(store::Store& store, launcher::Launcher& launcher, WorkerPoolOptions options,
               std::function<void(const std::string&)> log);

    /// Starts and withdraws what the waiting tasks need; `earlier` come first with those of pools
    /// that both serve. Throws what the store and the launcher do, but for a failed start, which is
    /// logged and tried later. `quiet`: nobody wants anything, so it looks for drains rarely.
    void staff(double now_s, const std::vector<const WorkerPool*>& earlier, bool quiet = false);

private:
    [[nodiscard]] bool shares_pool_with(const WorkerPool& other) const;
    [[nodiscard]] std::int64_t ready(const std::vector<const WorkerPool*>& earlier);
    /// Names what is cordoned or drained on the launcher's machine; empty: nothing.
    [[nodiscard]] std::string drained();
    void look_for_drains();
    void start(int n, std::int64_t ready, double now_s);

    store::Store& store_;
    launcher::Launcher& launcher_;
    WorkerPoolOptions options_;
    std::function<void(const std::string&)> log_;
    Backlog backlog_;
    std::string last_drained_;
    double looked_for_drains_s_ = -1e9;
    /// Waiting tasks that its agents without work, started or on their way, are there for.
    std::atomic<std::int64_t> awaited_ = 0;
};

}  // namespace kaname::scheduler
