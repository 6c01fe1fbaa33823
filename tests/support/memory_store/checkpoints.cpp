// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "tests/support/memory_store/memory_store.hpp"

namespace kaname::store::memory {

LeaseResult MemoryStore::begin_checkpoint(const std::string& worker_id, std::span<const Held> tasks,
                                          const std::string& sha256) {
    const std::lock_guard lock(mutex_);
    const bool mine = std::ranges::any_of(
        tasks, [&](const Held& held) { return find_running(worker_id, held) != tasks_.end(); });
    if (!mine) {
        return LeaseResult::Lost;
    }
    checkpoint_files_[sha256] = {false, clock_()};
    return LeaseResult::Ok;
}

LeaseResult MemoryStore::set_checkpoint(const std::string& worker_id, std::span<const Held> tasks,
                                        const Checkpoint& checkpoint) {
    const std::lock_guard lock(mutex_);
    const auto file = checkpoint_files_.find(checkpoint.sha256);
    if (file == checkpoint_files_.end()) {
        return LeaseResult::Lost;
    }
    file->second.whole = true;
    LeaseResult result = LeaseResult::Lost;
    for (const Held& held : tasks) {
        if (const auto task = find_running(worker_id, held); task != tasks_.end()) {
            task->second.checkpoint = checkpoint;
            task->second.refunds = task->second.cut_off = 0;
            result = LeaseResult::Ok;
        }
    }
    return result;
}

std::vector<std::optional<Checkpoint>> MemoryStore::find_checkpoints(
    std::span<const std::int64_t> task_ids) {
    const std::lock_guard lock(mutex_);
    std::vector<std::optional<Checkpoint>> found(task_ids.size());
    for (const auto& [key, task] : tasks_) {
        const auto at = std::ranges::find(task_ids, task.task_id);
        if (at != task_ids.end() && !task.checkpoint.sha256.empty()) {
            found[static_cast<std::size_t>(at - task_ids.begin())] = task.checkpoint;
        }
    }
    return found;
}

std::vector<std::string> MemoryStore::forget_checkpoints(const RemoveFile& remove) {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> unused;
    for (const auto& [sha256, file] : checkpoint_files_) {
        const bool late = file.begun_at < clock_() - options_.checkpoint_upload_s;
        const bool named = std::ranges::any_of(tasks_, [&, &hash = sha256](const auto& entry) {
            return entry.second.checkpoint.sha256 == hash;
        });
        if ((file.whole || late) && !named) {
            unused.push_back(sha256);
        }
    }
    for (const std::string& sha256 : unused) {
        remove(sha256);
        checkpoint_files_.erase(sha256);
    }
    return unused;
}

}  // namespace kaname::store::memory
