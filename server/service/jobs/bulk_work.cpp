// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/jobs/bulk_work.hpp"

#include <algorithm>
#include <utility>

namespace kaname::service {
namespace {

constexpr std::chrono::seconds kAgain{1};  // after the store did not answer

}  // namespace

BulkWork::~BulkWork() {
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) {
        thread_.join();
    }
}

store::Store::Stop stop_of_a_call(const Context& context) {
    using Clock = BulkWork::Clock;
    return [&context, until = Clock::now() + BulkWork::kOfACall] {
        return context.draining || Clock::now() >= until;
    };
}

void BulkWork::go_on(const std::string& job_id) {
    {
        const std::lock_guard lock(mutex_);
        if (std::ranges::find(jobs_, job_id) == jobs_.end()) {
            jobs_.push_back(job_id);
        }
        if (!thread_.joinable()) {
            thread_ = std::thread([this] { run(); });
        }
    }
    changed_.notify_all();
}

bool BulkWork::ends() {
    const std::lock_guard lock(mutex_);
    return ends_ || context_.draining;
}

bool BulkWork::others_wait() {
    const std::lock_guard lock(mutex_);
    return !jobs_.empty();
}

void BulkWork::run() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return ends_ || !jobs_.empty(); });
        if (ends_) {
            return;
        }
        const std::string job = jobs_.front();
        jobs_.pop_front();
        lock.unlock();
        bool left = false, failed = false;
        try {
            const auto of_a_call = stop_of_a_call(context_);
            // Each turn does one piece, however long it took to read what is left.
            bool asked = false;
            left = context_.store.finish_bulk(job, [&] {
                const bool first = !std::exchange(asked, true);
                return ends() || (!first && of_a_call() && others_wait());
            });
        } catch (const Error& error) {
            failed = left = error.code() != ErrorCode::NotFound;  // else it was deleted meanwhile
            context_.trouble("bulk", "job " + job + " is gone on with later: " + error.what());
        }
        context_.wakeups.notify();
        lock.lock();
        if (left && !ends_ && !context_.draining) {
            jobs_.push_back(job);
        }
        if (failed) {
            changed_.wait_for(lock, kAgain, [this] { return ends_; });
        }
    }
}

}  // namespace kaname::service
