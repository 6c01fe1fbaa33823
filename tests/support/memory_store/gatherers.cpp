// SPDX-License-Identifier: BSD-3-Clause
// Gatherers that jobs share: what they wait for, and what a file that lacks something is to each
// job.
#include <algorithm>

#include "server/store/rules.hpp"
#include "tests/support/memory_store/memory_store.hpp"

namespace kaname::store::memory {

// `keys` are those of the tasks that the job created or joined. A gatherer that is running waits
// for more as well: its file is not this job's when it lacks what comes now.
void MemoryStore::add_needs(const JobRow& row, const std::set<std::string>& keys) {
    for (const WantedItem& planned : row.planned) {
        const auto task = tasks_.find(planned.content_key);
        if (!keys.contains(planned.content_key) || task == tasks_.end() ||
            (task->second.state == TaskState::Running && planned.gathers.empty())) {
            continue;
        }
        for (const auto& [wanted, live] : {std::pair(&planned.needs, &task->second.needs),
                                           std::pair(&planned.gathers, &task->second.gathered)}) {
            for (const std::string& key : *wanted) {
                if (keys.contains(key)) {
                    live->insert(key);
                }
            }
        }
        if (task->second.state == TaskState::Ready || task->second.state == TaskState::Held) {
            make_ready(task->second);
        }
    }
}

void MemoryStore::make_ready(Task& task) {
    const bool open = task.needs.empty() && task.gathered.empty();
    task.state = !open ? TaskState::Blocked : task.hold ? TaskState::Held : TaskState::Ready;
    task.worker_id.clear();
}

std::set<std::string> MemoryStore::gathered_by(const std::string& content_key) const {
    std::set<std::string> gathered;
    for (const auto& [id, row] : jobs_) {
        const auto item = std::ranges::find(row.planned, content_key, &WantedItem::content_key);
        if (item != row.planned.end()) {
            gathered.insert(item->gathers.begin(), item->gathers.end());
        }
    }
    return gathered;
}

std::set<std::string> MemoryStore::missing_of(const std::string& content_key) const {
    std::set<std::string> missing = gathered_by(content_key);
    std::erase_if(missing, [&](const std::string& key) { return artifacts_.contains(key); });
    return missing;
}

GatherVerdict MemoryStore::judge_gatherer(const JobRow& row, const Task& task) const {
    if (task.missing.empty()) {
        return GatherVerdict::Unread;
    }
    bool waits = false;
    for (const JobItem& item : row.items) {
        if (!task.missing.contains(item.content_key)) {
            continue;
        }
        const bool done = item.state == ItemState::Done;
        if (done && !artifacts_.contains(item.content_key)) {
            return GatherVerdict::Lost;
        }
        waits = waits || done || item.state == ItemState::Live;
    }
    return waits ? GatherVerdict::Waits : GatherVerdict::Ends;
}

void MemoryStore::end_partial_gatherer(Task& task, const Completion& completion) {
    bool wanted = false;
    for (auto& [id, row] : jobs_) {
        for (JobItem& item : row.items) {
            if (item.state != ItemState::Live || item.content_key != task.content_key) {
                continue;
            }
            switch (judge_gatherer(row, task)) {
                case GatherVerdict::Waits:
                    wanted = true;
                    break;
                case GatherVerdict::Lost:
                    end_item(row, item, ItemState::Failed, kSourceLost);
                    break;
                case GatherVerdict::Unread:
                    end_item(row, item, ItemState::Failed, kSourceUnread);
                    break;
                case GatherVerdict::Ends:
                    item.sha256 = completion.sha256;
                    item.bytes = completion.bytes;
                    item.n_missing = static_cast<std::int64_t>(task.missing.size());
                    end_item(row, item, ItemState::Done, "");
            }
        }
        end_job_if_idle(row);
    }
    if (wanted) {
        task.attempt = task.crash_count = task.refunds = task.cut_off = 0;
        task.missing.clear();
        task.run_at = clock_();
        make_ready(task);
    } else {
        tasks_.erase(std::string(task.content_key));
    }
}

}  // namespace kaname::store::memory
