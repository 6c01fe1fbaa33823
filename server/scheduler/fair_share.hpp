// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "server/scheduler/clock.hpp"

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

}  // namespace kaname::scheduler
