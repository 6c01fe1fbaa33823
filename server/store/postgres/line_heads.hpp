// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
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
/// or for long enough after the last look from the beginning: two seconds, and where such a look
/// took long, as beside a transaction that stays open, so many times as long that looks are a small
/// part of the time. Safe from any thread.
class LineHeads {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds kKept{2000}, kKeptAtMost{30000};
    static constexpr int kTimesTheLook = 50;

    /// For each pool, in this order; the beginning where nothing is known.
    [[nodiscard]] LinePlaces of(std::span<const std::string> pools, const std::string& owner,
                                Clock::time_point now = Clock::now());
    /// All that are known of these pools.
    [[nodiscard]] LinePlaces known(std::span<const std::string> pools,
                                   Clock::time_point now = Clock::now());
    /// The first of a line, found from the place that is known.
    void note(const std::string& pool, const std::string& owner, LinePlace place);
    /// The first of a line, found from its beginning, which took so long.
    void note_whole(const std::string& pool, const std::string& owner, LinePlace place,
                    Clock::duration took, Clock::time_point now = Clock::now());
    void forget(std::span<const std::string> pools, const std::string& owner);
    /// Something became ready that may come earlier.
    void forget_all();

private:
    struct Head {
        LinePlace place;
        Clock::time_point until;  ///< it is not used after that
    };
    std::mutex mutex_;
    std::map<std::pair<std::string, std::string>, Head> heads_;  ///< by pool and owner
};

/// Calls that come while another is under way are done together by the first of them, in one
/// transaction: one commit for all. A call that comes alone waits for nobody. Safe from any thread.
template <typename Call>
class GroupCommit {
public:
    using Work = std::function<void(std::vector<Call*>& calls)>;

    /// Returns when `call` was among the calls of a `work` that ended, its own or another thread's;
    /// throws what that threw.
    void run(Call& call, const Work& work) {
        Waiting mine{&call};
        std::unique_lock lock(mutex_);
        waiting_.push_back(&mine);
        while (!mine.ended) {
            changed_.wait(lock,
                          [&] { return mine.ended || (!mine.taken && n_leaders_ < kLeaders); });
            if (!mine.ended) {
                lead(lock, work);
            }
        }
        if (mine.error) {
            std::rethrow_exception(mine.error);
        }
    }

private:
    static constexpr std::size_t kMost = 64;
    /// Groups under way at a time: those of one job would wait for each other, and a group that
    /// begins later is larger.
    static constexpr int kLeaders = 1;

    struct Waiting {
        Call* call;
        bool taken = false, ended = false;
        std::exception_ptr error = nullptr;
    };

    void lead(std::unique_lock<std::mutex>& lock, const Work& work) {
        ++n_leaders_;
        const auto end =
            waiting_.begin() + static_cast<std::ptrdiff_t>(std::min(kMost, waiting_.size()));
        const std::vector<Waiting*> group(waiting_.begin(), end);
        waiting_.erase(waiting_.begin(), end);
        std::vector<Call*> calls;
        for (Waiting* one : group) {
            one->taken = true;
            calls.push_back(one->call);
        }
        lock.unlock();
        std::exception_ptr error;
        try {
            work(calls);
        } catch (...) {
            error = std::current_exception();
        }
        lock.lock();
        --n_leaders_;
        for (Waiting* one : group) {
            one->error = error;
            one->ended = true;
        }
        changed_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Waiting*> waiting_;
    int n_leaders_ = 0;
};

}  // namespace kaname::store
