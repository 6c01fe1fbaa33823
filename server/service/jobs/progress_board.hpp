// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "proto/kaname/v1/job.pb.h"
#include "proto/kaname/v1/workers_service.pb.h"
#include "server/service/workers/ready_board.hpp"
#include "server/store/store.hpp"

namespace kaname::service {

/// The last heartbeat's text is shown for so long.
inline constexpr std::chrono::seconds kHeartbeatShown{60};

/// Keeps the last reports of workers about the tasks they hold. They are in memory only: after a
/// restart the next heartbeats fill it again.
class ProgressBoard {
public:
    struct Entry {
        double fraction = 0.0, eta_s = -1.0;
        std::string text, worker_id;
        std::chrono::steady_clock::time_point at;
        bool told = true;  ///< said by the worker; its last word may be older than the claim
    };

    /// A task was handed out; the worker has said nothing about it yet.
    void begin(const std::string& worker_id, const std::string& content_key);
    /// Replaces all that this worker said before.
    void set(const std::string& worker_id, const v1::HeartbeatRequest& heartbeat);
    /// Returns true if this worker was the last that was given the task or reported on it.
    [[nodiscard]] bool has(const std::string& worker_id, const std::string& content_key) const;
    void forget(const std::string& content_key);
    /// The entries by content key; those older than a minute are left out.
    [[nodiscard]] std::map<std::string, Entry> recent() const;
    /// The latest text of a worker.
    [[nodiscard]] std::string text_of(const std::string& worker_id) const;

private:
    mutable std::mutex mutex_;
    std::map<std::string, Entry> entries_;
};

/// Progress of large jobs, looked at once for all who watch them. Safe from any thread.
class ProgressLooks {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds kFresh{500};

    /// Returns what `look` gives, or gave for this job within kFresh before `now`.
    [[nodiscard]] v1::JobProgress of(const std::string& job_id,
                                     const std::function<v1::JobProgress()>& look,
                                     Clock::time_point now = Clock::now());

private:
    struct Known {
        Clock::time_point at;
        v1::JobProgress progress;
    };
    std::mutex mutex_;
    std::map<std::string, Known> known_;
};

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
