// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

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

/// Progress of large jobs, looked at once for all who ask for it. Who asks again soon does not wait
/// for a look: one that is older than kFresh is given once more while a thread of this class looks
/// anew. Safe from any thread.
class ProgressLooks {
public:
    using Clock = std::chrono::steady_clock;
    using Look = std::function<v1::JobProgress()>;
    static constexpr std::chrono::milliseconds kFresh{500}, kOldest{2000};

    ProgressLooks() = default;
    ProgressLooks(const ProgressLooks&) = delete;
    ProgressLooks& operator=(const ProgressLooks&) = delete;
    /// Waits for a look that is under way; no other begins.
    ~ProgressLooks();

    /// Returns what a `look` at this key gave within kOldest before `now`, or gives now. `look` may
    /// be called later, by another thread, until this is destroyed.
    [[nodiscard]] v1::JobProgress of(const std::string& key, Look look,
                                     Clock::time_point now = Clock::now());

private:
    struct Known {
        Clock::time_point at;
        v1::JobProgress progress;
        bool asked = false;  ///< a look is due or under way
    };
    struct Due {
        std::string key;
        Look look;
        Clock::time_point at;
    };
    void run();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, Known> known_;
    std::deque<Due> due_;
    bool ends_ = false;
    std::thread thread_;  ///< begins with the first look that is due
};

/// How far the events of jobs that are watched go, read for all of them in one query: after each
/// change through this server, and now and then for those through others. Safe from any thread.
class WatchedJobs {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds kNet{2000};

    /// Both outlive this.
    WatchedJobs(store::Store& store, ChangeNotifier& wakeups) : store_(store), wakeups_(wakeups) {}

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
    ChangeNotifier& wakeups_;
    std::mutex mutex_;
    std::map<std::string, int> watches_;  ///< by job
    std::map<std::string, std::int64_t> seqs_;
    std::uint64_t seen_ = 0;
    Clock::time_point looked_;
};

/// Holds the tasks of one verb that are left.
struct WorkLeft {
    double tasks = 0.0;   ///< those under way with the share that is left of them
    bool set_up = false;  ///< what comes before the first is done
};
using WorkLeftByVerb = std::map<std::string, WorkLeft>;

/// Holds the times of a job's stages on the server's machine, as predicted when it was submitted;
/// kept with the job. Decision 0032.
struct StageTimes {
    struct Stage {
        std::string verb;
        double once_s = 0.0;  ///< before the first task
        double each_s = 0.0;  ///< of each pack
        std::int64_t n_tasks = 0, n_packs = 0;
    };
    std::vector<Stage> stages;
    double spread = 1.0;  ///< the truth is mostly within times and by this

    /// Verbs that it knows no times of take none.
    [[nodiscard]] double seconds(const WorkLeftByVerb& left) const;
    /// The time of all stages.
    [[nodiscard]] double total_s() const;
    [[nodiscard]] std::string to_text() const;
    /// Nothing for an empty text, as of a job that was stored without times.
    [[nodiscard]] static std::optional<StageTimes> parse(const std::string& text);
};

/// How fast active jobs really go, since this server first saw something of theirs computed.
class PaceBoard {
public:
    using Clock = std::chrono::steady_clock;

    /// Seconds that work takes for which `left_s` were predicted, out of `total_s` of the job.
    /// First as predicted, then more and more by what the work done since has taken; `begun`:
    /// something is, or was, computed.
    [[nodiscard]] double eta_s(const std::string& job_id, double left_s, double total_s, bool begun,
                               Clock::time_point now);

private:
    struct Begin {
        Clock::time_point at, asked;
        double left_s = 0.0;
    };
    std::mutex mutex_;
    std::map<std::string, Begin> begins_;
};

}  // namespace kaname::service
