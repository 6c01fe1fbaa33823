// SPDX-License-Identifier: BSD-3-Clause
#include "server/grpc/host.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace kaname::rpc {
namespace {

/// The pool that this thread is of.
thread_local const ThreadPool* own_pool = nullptr;

}  // namespace

ThreadPool::ThreadPool(int threads, std::size_t longest_queue)
    : longest_queue_(longest_queue), most_of_one_(std::max(1, threads - 1)) {
    for (int thread = 0; thread < threads; ++thread) {
        threads_.emplace_back([this] { run(); });
    }
}

ThreadPool::~ThreadPool() {
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

void ThreadPool::push(std::function<void()> work, const std::string& whose) {
    OwnerQueue& line = queues_[whose];
    if (line.queue.empty()) {
        turns_.push_back(whose);
    }
    line.queue.push_back(std::move(work));
    ++n_queued_;
}

bool ThreadPool::try_submit(std::function<void()> work, const std::string& whose) {
    {
        const std::lock_guard lock(mutex_);
        if (n_queued_ >= longest_queue_) {
            return false;
        }
        push(std::move(work), whose);
    }
    changed_.notify_one();
    return true;
}

void ThreadPool::submit(std::function<void()> work, const std::string& whose) {
    {
        const std::lock_guard lock(mutex_);
        push(std::move(work), whose);
    }
    if (own_pool != this) {
        changed_.notify_one();
    }
}

std::deque<std::string>::iterator ThreadPool::next() {
    return std::ranges::find_if(turns_, [this](const std::string& whose) {
        return whose.empty() || queues_[whose].running < most_of_one_;
    });
}

void ThreadPool::run() {
    own_pool = this;
    std::unique_lock lock(mutex_);
    while (true) {
        auto turn = turns_.end();
        changed_.wait(lock, [&] {
            turn = next();
            return turn != turns_.end() || (ends_ && n_queued_ == 0);
        });
        if (turn == turns_.end()) {
            return;
        }
        const std::string whose = std::move(*turn);
        turns_.erase(turn);
        OwnerQueue& line = queues_[whose];
        const auto work = std::move(line.queue.front());
        line.queue.pop_front();
        if (!line.queue.empty()) {
            turns_.push_back(whose);
        }
        --n_queued_;
        ++line.running;
        if (next() != turns_.end()) {
            changed_.notify_one();
        }
        lock.unlock();
        work();
        lock.lock();
        if (--line.running == 0 && line.queue.empty()) {
            queues_.erase(whose);
        }
        // Who had to wait for this thread is next here, and the others are woken from there.
        if (ends_) {
            changed_.notify_all();
        }
    }
}

namespace {

// Changes come in bursts (a batch of completions); every call that waits looks once for each.
constexpr std::chrono::milliseconds kBetweenChanges{20};
constexpr std::chrono::seconds kIdle{1};

}  // namespace

TimerQueue::TimerQueue(service::ChangeNotifier& wakeups) : wakeups_(wakeups) {
    wakeups_.listen([this] {
        {
            const std::lock_guard lock(mutex_);
            changed_ = true;
        }
        last_change_ = Clock::now().time_since_epoch().count();
        woken_.notify_all();
        const std::lock_guard lock(telling_);
        if (also_) {
            also_();
        }
    });
    thread_ = std::thread([this] { run(); });
}

TimerQueue::~TimerQueue() {
    wakeups_.listen({});
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    woken_.notify_all();
    thread_.join();
}

void TimerQueue::when_changed(std::function<void()> also) {
    const std::lock_guard lock(telling_);
    also_ = std::move(also);
}

TimerQueue::Ticket TimerQueue::add(Clock::time_point due, Entry entry) {
    Ticket ticket;
    bool first = false;
    {
        const std::lock_guard lock(mutex_);
        ticket = {due, ++n_parked_};
        first = parked_.empty() || ticket < parked_.begin()->first;
        // A change after the caller last looked and before it was parked counts at once.
        changed_ = changed_ || (entry.heeds_changes && entry.seen != wakeups_.version());
        first = first || changed_;
        parked_.emplace(ticket, std::move(entry));
    }
    if (first) {
        woken_.notify_all();
    }
    return ticket;
}

TimerQueue::Ticket TimerQueue::park(service::Pause pause, Resume resume) {
    return add(Clock::now() + pause.patience, {true, pause.seen, std::move(resume)});
}

TimerQueue::Ticket TimerQueue::after(std::chrono::milliseconds delay, Resume resume) {
    return add(Clock::now() + delay, {false, 0, std::move(resume)});
}

bool TimerQueue::take_back(const Ticket& ticket) {
    const std::lock_guard lock(mutex_);
    return parked_.erase(ticket) > 0;
}

void TimerQueue::resume_all() {
    std::map<Ticket, Entry> all;
    {
        const std::lock_guard lock(mutex_);
        all.swap(parked_);
    }
    for (auto& [ticket, entry] : all) {
        entry.resume();
    }
}

void TimerQueue::run() {
    auto looked = Clock::now() - kBetweenChanges;
    std::unique_lock lock(mutex_);
    while (!ends_) {
        const auto now = Clock::now();
        const bool look = changed_ && now >= looked + kBetweenChanges;
        std::vector<Resume> due;
        if (look) {
            changed_ = false;
            looked = now;
            const std::uint64_t version = wakeups_.version();
            for (auto at = parked_.begin(); at != parked_.end();) {
                if (at->second.heeds_changes && at->second.seen != version) {
                    due.push_back(std::move(at->second.resume));
                    at = parked_.erase(at);
                } else {
                    ++at;
                }
            }
        }
        while (!parked_.empty() && parked_.begin()->first.first <= now) {
            due.push_back(std::move(parked_.begin()->second.resume));
            parked_.erase(parked_.begin());
        }
        if (!due.empty()) {
            lock.unlock();
            for (const Resume& resume : due) {
                resume();
            }
            lock.lock();
            continue;
        }
        auto until = parked_.empty() ? now + kIdle : parked_.begin()->first.first;
        if (changed_) {
            until = std::min(until, looked + kBetweenChanges);
        }
        woken_.wait_until(lock, until);
    }
}

}  // namespace kaname::rpc
