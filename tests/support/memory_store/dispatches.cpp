// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "tests/support/memory_store/memory_store.hpp"

namespace kaname::store::memory {

void MemoryStore::add_dispatch(const Dispatch& dispatch) {
    const std::lock_guard lock(mutex_);
    if (std::ranges::count(dispatches_, dispatch.dispatch_id, &Dispatch::dispatch_id) > 0) {
        throw_dispatch_known(dispatch.dispatch_id);
    }
    Dispatch added{dispatch.dispatch_id, dispatch.place, dispatch.pool};
    added.intended_s = clock_();
    dispatches_.push_back(added);
}

bool MemoryStore::change_dispatch(const Dispatch& dispatch) {
    const std::lock_guard lock(mutex_);
    const auto known = std::ranges::find(dispatches_, dispatch.dispatch_id, &Dispatch::dispatch_id);
    if (known == dispatches_.end() || known->state == DispatchState::Ended) {
        return false;
    }
    known->native_id = dispatch.native_id;
    known->state = dispatch.state;
    known->reason = dispatch.reason;
    known->exit_code = dispatch.exit_code;
    known->ended_s = dispatch.state == DispatchState::Ended ? clock_() : 0;
    return true;
}

std::vector<Dispatch> MemoryStore::list_dispatches(const std::string& place,
                                                   double ended_within_s) {
    const std::lock_guard lock(mutex_);
    std::vector<Dispatch> found;
    for (const Dispatch& dispatch : dispatches_) {
        if ((place.empty() || dispatch.place == place) &&
            (dispatch.state != DispatchState::Ended ||
             dispatch.ended_s > clock_() - ended_within_s)) {
            found.push_back(dispatch);
        }
    }
    std::ranges::stable_sort(found, {}, &Dispatch::intended_s);
    return found;
}

std::int64_t MemoryStore::forget_dispatches(double ended_before_s) {
    const std::lock_guard lock(mutex_);
    return static_cast<std::int64_t>(std::erase_if(dispatches_, [&](const Dispatch& dispatch) {
        return dispatch.state == DispatchState::Ended &&
               dispatch.ended_s <= clock_() - ended_before_s;
    }));
}

std::vector<std::int64_t> MemoryStore::count_ready(std::span<const std::string> pools,
                                                   std::int64_t most) {
    const std::lock_guard lock(mutex_);
    std::vector<std::int64_t> counts;
    for (const std::string& pool : pools) {
        counts.push_back(std::min<std::int64_t>(
            most, std::ranges::count_if(tasks_, [&](const auto& entry) {
                return entry.second.state == TaskState::Ready && entry.second.pool == pool &&
                       entry.second.run_at <= clock_();
            })));
    }
    return counts;
}

}  // namespace kaname::store::memory
