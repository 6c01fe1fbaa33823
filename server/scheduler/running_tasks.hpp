// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "server/scheduler/clock.hpp"
#include "server/scheduler/fair_share.hpp"
#include "server/store/types.hpp"

namespace kaname::scheduler {

/// The tasks that this server handed to workers, and what they cost their owners. Kept in memory
/// only: what a server before this one handed out is unknown here and charged to nobody. Safe from
/// any thread.
class RunningTasks {
public:
    explicit RunningTasks(FairShare& share, Clock clock = monotonic_s)
        : share_(share), clock_(std::move(clock)) {}

    /// The owners in the order in which they are to be served.
    [[nodiscard]] std::vector<std::string> order(std::vector<std::string> owners) {
        return share_.order(std::move(owners));
    }
    [[nodiscard]] FairShare& share() { return share_; }
    /// A worker was told of the task; told again of the same attempt, nothing changes. A new
    /// attempt takes over the charge of one that ended without a word: a lost worker's time is not
    /// its owner's.
    void began(const std::string& worker_id, const store::ClaimedTask& task);
    /// An attempt ended, done or not: its owner is charged for the seconds it ran. Its content key;
    /// nothing where it is not known, or another attempt's by now.
    std::optional<std::string> ended(store::Held task);
    /// Content key of a task that this worker holds; nothing: it does not.
    [[nodiscard]] std::optional<std::string> key_of(const std::string& worker_id,
                                                    store::Held task) const;
    struct Attempt {
        std::string content_key, verb, payload;
        bool source = false;  ///< of its job, where that was said
        double ran_s = 0;     ///< so far
    };
    /// Returns all that is known of a task that this worker holds; nothing if it does not hold it.
    [[nodiscard]] std::optional<Attempt> attempt_of(const std::string& worker_id,
                                                    store::Held task) const;
    /// The task counts as a source of its job.
    void is_source(store::Held task);

private:
    struct Running {
        std::string worker_id;
        std::int64_t fence = 0;
        std::string owner, content_key, verb, payload;
        double since_s = 0;
        bool source = false;
    };
    [[nodiscard]] const Running* find(const std::string& worker_id, store::Held task) const;

    FairShare& share_;
    Clock clock_;
    mutable std::mutex mutex_;
    std::map<std::int64_t, Running> running_;  ///< by task
};

}  // namespace kaname::scheduler
