// SPDX-License-Identifier: BSD-3-Clause
#include "worker/agent/lease/held_tasks.hpp"

#include <algorithm>

#include "solvers/base/utf8.hpp"
#include "worker/agent/lease/workers_client.hpp"

namespace kaname::agent {

void HeldTasks::add(const v1::ClaimResponse& pack) {
    const std::lock_guard lock(mutex_);
    for (const v1::Task& task : pack.tasks()) {
        Entry entry;
        *entry.progress.mutable_ref() = task.ref();
        entry.progress.set_content_key(task.content_key());
        entry.progress.set_eta_s(-1.0);
        entry.progress.set_text("starting");
        tasks_[task.ref().task_id()] = std::move(entry);
    }
}

void HeldTasks::remove(std::int64_t task_id) {
    const std::lock_guard lock(mutex_);
    tasks_.erase(task_id);
}

void HeldTasks::set_progress(const std::vector<v1::Task>& pack, double fraction, double eta_s,
                             const std::string& text) {
    const std::lock_guard lock(mutex_);
    for (const v1::Task& task : pack) {
        const auto found = tasks_.find(task.ref().task_id());
        if (found != tasks_.end()) {
            found->second.progress.set_fraction(fraction);
            found->second.progress.set_eta_s(eta_s);
            found->second.progress.set_text(to_utf8(text, kMaxHeartbeatText));
        }
    }
}

void HeldTasks::set_text(std::int64_t task_id, const std::string& text) {
    const std::lock_guard lock(mutex_);
    if (const auto found = tasks_.find(task_id); found != tasks_.end()) {
        found->second.progress.set_text(to_utf8(text, kMaxHeartbeatText));
    }
}

void HeldTasks::drop(std::int64_t task_id) {
    const std::lock_guard lock(mutex_);
    if (const auto found = tasks_.find(task_id); found != tasks_.end()) {
        found->second.dropped = true;
    }
}

void HeldTasks::drop_all() {
    const std::lock_guard lock(mutex_);
    for (auto& [id, entry] : tasks_) {
        entry.dropped = true;
    }
}

bool HeldTasks::dropped(std::int64_t task_id) const {
    const std::lock_guard lock(mutex_);
    const auto found = tasks_.find(task_id);
    return found == tasks_.end() || found->second.dropped;
}

bool HeldTasks::all_dropped(const std::vector<v1::Task>& pack) const {
    return std::ranges::all_of(pack,
                               [&](const v1::Task& task) { return dropped(task.ref().task_id()); });
}

bool HeldTasks::empty() const {
    const std::lock_guard lock(mutex_);
    return tasks_.empty();
}

void HeldTasks::describe(v1::HeartbeatRequest& request) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, entry] : tasks_) {
        if (entry.dropped) {
            continue;
        }
        *request.add_held() = entry.progress.ref();
        *request.add_progress() = entry.progress;
    }
}

std::vector<v1::TaskRef> HeldTasks::refs() const {
    const std::lock_guard lock(mutex_);
    std::vector<v1::TaskRef> refs;
    for (const auto& [id, entry] : tasks_) {
        if (!entry.dropped) {
            refs.push_back(entry.progress.ref());
        }
    }
    return refs;
}

}  // namespace kaname::agent
