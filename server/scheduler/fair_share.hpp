// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "server/scheduler/worker_pool.hpp"
#include "server/store/types.hpp"

namespace kaname::scheduler {

struct FairShareOptions {
    double half_life_s = 3600;  ///< after which use counts half
    double first_guess_s = 60;  ///< duration of a task before any has ended
};

/// Whose tasks are claimed first: of the owners that have some, the one with the least use in
/// task-seconds for its weight. Use decays, so that nobody pays for last week. A task that is
/// handed out is charged at once with the mean duration, else one owner would get every worker
/// until its first task ends; the charge is corrected when the task ends. Nothing is kept across a
/// restart: all owners then begin anew. Safe from any thread.
class FairShare {
public:
    explicit FairShare(FairShareOptions options = {}, Clock clock = monotonic_s);

    /// A share twice as large for weight 2; 1 when never set. Throws InvalidArgument unless > 0.
    void set_weight(const std::string& owner, double weight);

    /// The owners, least served first; of equally served ones whoever was served longest ago.
    [[nodiscard]] std::vector<std::string> order(std::vector<std::string> owners);
    /// Returns true if the owner's next claim is for its task that has waited longest, whatever its
    /// priority. This holds for every kOldestEvery-th claim, so that no task waits for ever behind
    /// later ones.
    [[nodiscard]] bool oldest_next(const std::string& owner);
    static constexpr std::int64_t kOldestEvery = 8;
    /// The owner was given a pack.
    void claimed(const std::string& owner);
    /// `n_tasks` of the owner were handed to a worker.
    void assigned(const std::string& owner, std::int64_t n_tasks);
    /// One of the owner's tasks ended, done or not, after `seconds`.
    void ended(const std::string& owner, double seconds);
    /// Decayed task-seconds.
    [[nodiscard]] double use_s(const std::string& owner);

private:
    struct Account {
        double weight = 1;
        double use_s = 0;  ///< task-seconds, decayed to `at_s`
        double at_s = 0;
        std::int64_t n_running = 0;  ///< tasks charged in advance
        std::int64_t n_claims = 0;
        std::int64_t last_turn = 0;  ///< among the claims of all
    };
    /// The owner's account, decayed to now.
    Account& account(const std::string& owner);

    FairShareOptions options_;
    Clock clock_;
    std::mutex mutex_;
    std::map<std::string, Account> accounts_;
    double mean_s_;
    std::int64_t turn_ = 0;
};

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
