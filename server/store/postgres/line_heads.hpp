// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kaname::store {

/// A place in the line of a pool and owner: priority, then time, then ordinal, then task.
struct LinePlace {
    /// Before the first: every task has a higher priority.
    static constexpr int kBeforeAll = -1000000;

    int priority = kBeforeAll;
    std::string run_at = "-infinity";
    std::int64_t ordinal = 0, task_id = 0;
};

/// Places as columns, for statements.
struct LinePlaces {
    std::vector<std::string> pools, owners, run_at;
    std::vector<std::int64_t> priorities, ordinals, task_ids;

    void add(const std::string& pool, const std::string& owner, const LinePlace& place);
};

/// Where lines began a moment ago. What was claimed before that place stays in the index until no
/// transaction can see it any more; beside one that stays open that is everything, so claims begin
/// to look here. A place is a hint: what becomes ready before it is seen once the hint is forgotten
/// or `kept` after the last look from the beginning. Safe from any thread.
class LineHeads {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds kKept{2000};

    /// For each pool, in this order; the beginning where nothing is known.
    [[nodiscard]] LinePlaces of(std::span<const std::string> pools, const std::string& owner,
                                Clock::time_point now = Clock::now());
    /// All that are known of these pools.
    [[nodiscard]] LinePlaces known(std::span<const std::string> pools,
                                   Clock::time_point now = Clock::now());
    /// The first of a line, found from the place that is known or, if `whole`, from the beginning.
    void note(const std::string& pool, const std::string& owner, LinePlace place, bool whole,
              Clock::time_point now = Clock::now());
    void forget(std::span<const std::string> pools, const std::string& owner);
    /// Something became ready that may come earlier.
    void forget_all();

private:
    struct Head {
        LinePlace place;
        Clock::time_point looked_at;
    };
    std::mutex mutex_;
    std::map<std::pair<std::string, std::string>, Head> heads_;  ///< by pool and owner
};

}  // namespace kaname::store
