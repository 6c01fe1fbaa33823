// SPDX-License-Identifier: BSD-3-Clause
#include "server/scheduler/backlog.hpp"

#include <algorithm>
#include <cmath>

namespace kaname::scheduler {

int Backlog::to_start(const BacklogCounts& counts, double now_s) {
    const bool is_early = now_s - last_start_s_ < options_.early_end_s;
    if (counts.alive < expected_alive_ && is_early && counts.ready > 0) {
        failed(now_s);
    } else if (counts.alive > 0 && !is_early) {
        n_failures_ = 0;
    }
    expected_alive_ = counts.alive;
    if (now_s < not_before_s_) {
        return 0;
    }
    const std::int64_t packs = (counts.ready + options_.pack - 1) / options_.pack;
    // A killed agent holds its tasks until they are taken back.
    const std::int64_t free = std::max(0, counts.alive - counts.busy);
    const std::int64_t wanted =
        std::min<std::int64_t>(packs - free, options_.max_agents - counts.alive);
    return static_cast<int>(std::max<std::int64_t>(wanted, 0));
}

int Backlog::to_withdraw(const BacklogCounts& counts, double now_s) {
    const std::int64_t packs = (counts.ready + options_.pack - 1) / options_.pack;
    const std::int64_t free = std::max(0, counts.alive - counts.waiting - counts.busy);
    const std::int64_t surplus = counts.waiting - std::max<std::int64_t>(packs - free, 0);
    if (surplus <= 0) {
        too_many_since_s_.reset();
        return 0;
    }
    if (!too_many_since_s_) {
        too_many_since_s_ = now_s;
    }
    return now_s - *too_many_since_s_ < options_.withdraw_after_s ? 0 : static_cast<int>(surplus);
}

void Backlog::started(double now_s) {
    ++expected_alive_;
    last_start_s_ = now_s;
}

void Backlog::failed(double now_s) {
    not_before_s_ =
        now_s + std::min(options_.first_pause_s * std::exp2(n_failures_), options_.longest_pause_s);
    n_failures_ = std::min(n_failures_ + 1, 30);
}

}  // namespace kaname::scheduler
