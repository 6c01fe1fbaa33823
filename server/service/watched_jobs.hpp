// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "server/service/wakeups.hpp"
#include "server/store/store.hpp"

namespace kaname::service {

/// How far the events of jobs that are watched go, read for all of them in one query: after each
/// change through this server, and now and then for those through others. Safe from any thread.
class WatchedJobs {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds kNet{2000};

    /// Both outlive this.
    WatchedJobs(store::Store& store, Wakeups& wakeups) : store_(store), wakeups_(wakeups) {}

    /// A job that somebody watches, until its destruction.
    class Watch {
    public:
        Watch(WatchedJobs& board, std::string job_id);
        Watch(const Watch&) = delete;
        Watch& operator=(const Watch&) = delete;
        ~Watch();

        /// The number of its newest event; not older than kNet at `now`. Throws NotFound when the
        /// job is gone, and what the store throws.
        [[nodiscard]] std::int64_t event_seq(Clock::time_point now = Clock::now()) const;

    private:
        WatchedJobs& board_;
        std::string job_id_;
    };

private:
    static constexpr std::int64_t kGone = -1;

    store::Store& store_;
    Wakeups& wakeups_;
    std::mutex mutex_;
    std::map<std::string, int> watches_;  ///< by job
    std::map<std::string, std::int64_t> seqs_;
    std::uint64_t seen_ = 0;
    Clock::time_point looked_;
};

}  // namespace kaname::service
