// SPDX-License-Identifier: BSD-3-Clause
#include "server/store/postgres/postgres_store.hpp"

#include <algorithm>

namespace kaname::store {

void QueuePositions::add(const std::string& pool, const std::string& owner,
                         const QueuePosition& place) {
    pools.push_back(pool);
    owners.push_back(owner);
    priorities.push_back(place.priority);
    run_at.push_back(place.run_at);
    ordinals.push_back(place.ordinal);
    task_ids.push_back(place.task_id);
}

QueuePositions QueueCursors::of(std::span<const std::string> pools, const std::string& owner,
                                Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    QueuePositions places;
    for (const std::string& pool : pools) {
        const auto head = cursors_.find({pool, owner});
        const bool fresh = head != cursors_.end() && now <= head->second.until;
        places.add(pool, owner, fresh ? head->second.place : QueuePosition{});
    }
    return places;
}

QueuePositions QueueCursors::known(std::span<const std::string> pools, Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    std::erase_if(cursors_, [&](const auto& head) { return now > head.second.until; });
    QueuePositions places;
    for (const auto& [line, head] : cursors_) {
        if (std::ranges::find(pools, line.first) != pools.end()) {
            places.add(line.first, line.second, head.place);
        }
    }
    return places;
}

void QueueCursors::note(const std::string& pool, const std::string& owner, QueuePosition place) {
    const std::lock_guard lock(mutex_);
    const auto head = cursors_.find({pool, owner});
    if (head != cursors_.end()) {  // else it was forgotten meanwhile
        head->second.place = std::move(place);
    }
}

void QueueCursors::note_whole(const std::string& pool, const std::string& owner,
                              QueuePosition place, Clock::duration took, Clock::time_point now) {
    const auto kept = std::clamp<Clock::duration>(took * kTimesTheLook, kKept, kKeptAtMost);
    const std::lock_guard lock(mutex_);
    cursors_[{pool, owner}] = {std::move(place), now + kept};
}

void QueueCursors::forget(std::span<const std::string> pools, const std::string& owner) {
    const std::lock_guard lock(mutex_);
    for (const std::string& pool : pools) {
        cursors_.erase({pool, owner});
    }
}

void QueueCursors::forget_all() {
    const std::lock_guard lock(mutex_);
    cursors_.clear();
}

}  // namespace kaname::store
