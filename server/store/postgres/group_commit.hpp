// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <vector>

namespace kaname::store {

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
