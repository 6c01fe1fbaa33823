// SPDX-License-Identifier: BSD-3-Clause
#include "server/helpers/compute.hpp"

#include <algorithm>
#include <chrono>

namespace kaname::helpers {
namespace {

constexpr std::chrono::milliseconds kLookForCaller{200};  // whether it is still there

}  // namespace

std::int64_t ShareQueue::used_by(const std::string& owner) const {
    const auto found = used_by_.find(owner);
    return found == used_by_.end() ? 0 : found->second;
}

bool ShareQueue::within_own(const Waiter& waiter) const {
    const std::int64_t used = used_by(waiter.owner);
    return used == 0 || used + waiter.amount <= most_of_one_;
}

bool ShareQueue::may_go(std::list<Waiter>::const_iterator waiter) const {
    if (!within_own(*waiter) || used_ + waiter->amount > all_) {
        return false;
    }
    // Whoever has less, or came earlier and has as much, comes first; whoever may have no more now
    // stands in nobody's way.
    bool earlier = true;
    for (auto other = waiting_.begin(); other != waiting_.end(); ++other) {
        if (other == waiter) {
            earlier = false;
            continue;
        }
        const std::int64_t theirs = used_by(other->owner), mine = used_by(waiter->owner);
        if (within_own(*other) && (theirs < mine || (theirs == mine && earlier))) {
            return false;
        }
    }
    return true;
}

bool ShareQueue::wait_for(const Caller& caller, std::int64_t& amount) {
    std::unique_lock lock(mutex_);
    amount = std::min(amount, all_);
    const auto mine = waiting_.insert(waiting_.end(), {caller.owner(), amount});
    bool stays = !caller.gone();
    while (stays && !may_go(mine)) {
        changed_.wait_for(lock, kLookForCaller);
        stays = !caller.gone();
    }
    waiting_.erase(mine);
    if (stays) {
        used_ += amount;
        used_by_[caller.owner()] += amount;
    }
    lock.unlock();
    changed_.notify_all();  // the next one may go, too
    return stays;
}

int ShareQueue::n_waiting(const std::string& owner) {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(std::ranges::count(waiting_, owner, &Waiter::owner));
}

bool ShareQueue::is_full() {
    const std::lock_guard lock(mutex_);
    return used_ >= all_ || !waiting_.empty();
}

void ShareQueue::give_back(const std::string& owner, std::int64_t amount) {
    {
        const std::lock_guard lock(mutex_);
        used_ -= amount;
        const auto of_owner = used_by_.find(owner);
        if ((of_owner->second -= amount) == 0) {
            used_by_.erase(of_owner);
        }
    }
    changed_.notify_all();
}

}  // namespace kaname::helpers
