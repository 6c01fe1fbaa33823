// SPDX-License-Identifier: BSD-3-Clause
#include "server/scheduler/running_tasks.hpp"

#include <utility>

namespace kaname::scheduler {

void RunningTasks::began(const std::string& worker_id, const store::ClaimedTask& task) {
    {
        const std::lock_guard lock(mutex_);
        const auto [entry, is_new] = running_.try_emplace(task.task_id);
        if (!is_new && entry->second.fence == task.fence) {
            return;
        }
        entry->second = {worker_id, task.fence,   task.owner, task.content_key,
                         task.verb, task.payload, clock_()};
        if (!is_new) {
            return;
        }
    }
    share_.assigned(task.owner, 1);
}

std::optional<std::string> RunningTasks::ended(store::Held task) {
    Running ended;
    {
        const std::lock_guard lock(mutex_);
        const auto found = running_.find(task.task_id);
        if (found == running_.end() || found->second.fence != task.fence) {
            return std::nullopt;
        }
        ended = std::move(found->second);
        running_.erase(found);
    }
    share_.ended(ended.owner, clock_() - ended.since_s);
    return ended.content_key;
}

std::optional<std::string> RunningTasks::key_of(const std::string& worker_id,
                                                store::Held task) const {
    const std::lock_guard lock(mutex_);
    const Running* found = find(worker_id, task);
    return found != nullptr ? std::optional(found->content_key) : std::nullopt;
}

std::optional<RunningTasks::Attempt> RunningTasks::attempt_of(const std::string& worker_id,
                                                              store::Held task) const {
    const std::lock_guard lock(mutex_);
    const Running* found = find(worker_id, task);
    return found != nullptr ? std::optional(Attempt{found->content_key, found->verb, found->payload,
                                                    found->source, clock_() - found->since_s})
                            : std::nullopt;
}

void RunningTasks::is_source(store::Held task) {
    const std::lock_guard lock(mutex_);
    const auto found = running_.find(task.task_id);
    if (found != running_.end() && found->second.fence == task.fence) {
        found->second.source = true;
    }
}

const RunningTasks::Running* RunningTasks::find(const std::string& worker_id,
                                                store::Held task) const {
    const auto found = running_.find(task.task_id);
    const bool held = found != running_.end() && found->second.worker_id == worker_id &&
                      found->second.fence == task.fence;
    return held ? &found->second : nullptr;
}

}  // namespace kaname::scheduler
