// SPDX-License-Identifier: BSD-3-Clause
#include "server/grpc/parking.hpp"

#include <algorithm>
#include <vector>

namespace kaname::rpc {
namespace {

// Changes come in bursts (a batch of completions); every call that waits looks once for each.
constexpr std::chrono::milliseconds kBetweenChanges{20};
constexpr std::chrono::seconds kIdle{1};

}  // namespace

Parking::Parking(service::Wakeups& wakeups) : wakeups_(wakeups) {
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

Parking::~Parking() {
    wakeups_.listen({});
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    woken_.notify_all();
    thread_.join();
}

void Parking::when_changed(std::function<void()> also) {
    const std::lock_guard lock(telling_);
    also_ = std::move(also);
}

Parking::Ticket Parking::add(Clock::time_point due, Entry entry) {
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

Parking::Ticket Parking::park(service::Pause pause, Resume resume) {
    return add(Clock::now() + pause.patience, {true, pause.seen, std::move(resume)});
}

Parking::Ticket Parking::after(std::chrono::milliseconds delay, Resume resume) {
    return add(Clock::now() + delay, {false, 0, std::move(resume)});
}

bool Parking::take_back(const Ticket& ticket) {
    const std::lock_guard lock(mutex_);
    return parked_.erase(ticket) > 0;
}

void Parking::resume_all() {
    std::map<Ticket, Entry> all;
    {
        const std::lock_guard lock(mutex_);
        all.swap(parked_);
    }
    for (auto& [ticket, entry] : all) {
        entry.resume();
    }
}

void Parking::run() {
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
