// SPDX-License-Identifier: BSD-3-Clause
// Packages that jobs share: what they wait for, and what a file that lacks sources is to each job.
#include <algorithm>

#include "server/store/rules.hpp"
#include "tests/support/memory_store/memory_store.hpp"

namespace kaname::store::memory {

// `keys` are those of the tasks that the job created or joined. A package that is being made waits
// for more as well: its file is not this job's when it lacks what comes now.
void MemoryStore::add_needs(const JobRow& row, const std::set<std::string>& keys) {
    for (const ItemSpec& spec : row.specs) {
        const auto task = tasks_.find(spec.content_key);
        if (!keys.contains(spec.content_key) || task == tasks_.end() ||
            (task->second.state == TaskState::Running && spec.kind != Kind::Package)) {
            continue;
        }
        for (const std::string& key : spec.blocked_by) {
            if (keys.contains(key)) {
                task->second.needs.insert(key);
            }
        }
        if (task->second.state == TaskState::Ready) {
            make_ready(task->second);
        }
    }
}

void MemoryStore::make_ready(Task& task) const {
    task.state = task.needs.empty() ? TaskState::Ready : TaskState::Blocked;
    task.worker_id.clear();
}

std::set<std::string> MemoryStore::sources_of(const std::string& package_key) const {
    std::set<std::string> sources;
    for (const auto& [id, row] : jobs_) {
        const auto package = std::ranges::find(row.specs, package_key, &ItemSpec::content_key);
        if (package == row.specs.end()) {
            continue;
        }
        const std::set<std::string> needs(package->blocked_by.begin(), package->blocked_by.end());
        for (const ItemSpec& spec : row.specs) {
            if (spec.kind == Kind::Solve && needs.contains(spec.content_key)) {
                sources.insert(spec.content_key);
            }
        }
    }
    return sources;
}

std::set<std::string> MemoryStore::missing_of(const std::string& package_key) const {
    std::set<std::string> missing = sources_of(package_key);
    std::erase_if(missing, [&](const std::string& key) { return artifacts_.contains(key); });
    return missing;
}

PackageVerdict MemoryStore::judge_package(const JobRow& row, const Task& task) const {
    if (task.missing.empty()) {
        return PackageVerdict::Unread;
    }
    bool waits = false;
    for (const JobItem& item : row.items) {
        if (!task.missing.contains(item.content_key)) {
            continue;
        }
        const bool done = item.state == ItemState::Done;
        if (done && !artifacts_.contains(item.content_key)) {
            return PackageVerdict::Lost;
        }
        waits = waits || done || item.state == ItemState::Live;
    }
    return waits ? PackageVerdict::Waits : PackageVerdict::Ends;
}

void MemoryStore::end_partial_package(Task& task, const Completion& completion) {
    bool wanted = false;
    for (auto& [id, row] : jobs_) {
        for (JobItem& item : row.items) {
            if (item.state != ItemState::Live || item.content_key != task.content_key) {
                continue;
            }
            switch (judge_package(row, task)) {
                case PackageVerdict::Waits:
                    wanted = true;
                    break;
                case PackageVerdict::Lost:
                    end_item(row, item, ItemState::Failed, kSourceLost);
                    break;
                case PackageVerdict::Unread:
                    end_item(row, item, ItemState::Failed, kSourceUnread);
                    break;
                case PackageVerdict::Ends:
                    item.sha256 = completion.sha256;
                    item.bytes = completion.bytes;
                    item.n_missing = static_cast<std::int64_t>(task.missing.size());
                    end_item(row, item, ItemState::Done, "");
            }
        }
        end_job_if_idle(row);
    }
    if (wanted) {
        task.attempt = task.crash_count = task.refunds = 0;
        task.missing.clear();
        task.run_at = clock_();
        make_ready(task);
    } else {
        tasks_.erase(std::string(task.content_key));
    }
}

}  // namespace kaname::store::memory
