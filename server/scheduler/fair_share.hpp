// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "server/scheduler/clock.hpp"

namespace kaname::scheduler {

struct FairShareOptions {
    double half_life_s = 3600;  ///< after which use counts half
    double first_guess_s = 60;  ///< duration of a task before any has ended
};

/// Whose tasks are claimed next: of the owners that have some, the one with the least use in
/// task-seconds for its weight. Use decays, so that nobody pays for last week. An assigned task is
/// charged at once with the mean duration, else one owner would get every worker until its first
/// task ends; the charge is corrected when the task ends. Nothing is kept across a restart: all
/// owners then begin anew. Safe from any thread.
class FairShare {
public:
    explicit FairShare(FairShareOptions options = {}, Clock clock = monotonic_s);

    /// A share twice as large for weight 2; 1 when never set. Throws InvalidArgument unless > 0.
    void set_weight(const std::string& owner, double weight);

    /// Of equally served owners the one whose name comes first. Nothing when `ready` is empty.
    [[nodiscard]] std::optional<std::string> next(std::span<const std::string> ready);
    /// `n_tasks` of the owner were handed to a worker.
    void assigned(const std::string& owner, std::int64_t n_tasks);
    /// `n_tasks` of them ended, done or not, after `seconds` that they had a worker together.
    void ended(const std::string& owner, std::int64_t n_tasks, double seconds);
    /// Decayed task-seconds.
    [[nodiscard]] double use_s(const std::string& owner);

private:
    struct Account {
        double weight = 1;
        double use_s = 0;  ///< as of `at_s`
        double at_s = 0;
    };
    /// The owner's account, decayed to now.
    Account& account(const std::string& owner);

    FairShareOptions options_;
    Clock clock_;
    std::mutex mutex_;
    std::map<std::string, Account> accounts_;
    double mean_s_;
};

}  // namespace kaname::scheduler
