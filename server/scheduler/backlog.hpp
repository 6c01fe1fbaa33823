// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

#include "server/scheduler/clock.hpp"

namespace kaname::scheduler {

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

}  // namespace kaname::scheduler
