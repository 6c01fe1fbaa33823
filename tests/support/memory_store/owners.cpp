// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "server/store/rules.hpp"
#include "tests/support/memory_store/memory_store.hpp"

namespace kaname::store::memory {

void MemoryStore::set_quota(const OwnerQuota& quota, const Actor& actor) {
    const std::lock_guard lock(mutex_);
    quotas_[quota.owner] = quota;
    keep(actor, "SetQuota", "owners/" + quota.owner, "ok: " + quota_text(quota));
}

std::vector<OwnerQuota> MemoryStore::list_quotas() {
    const std::lock_guard lock(mutex_);
    std::vector<OwnerQuota> quotas;
    for (const auto& [owner, quota] : quotas_) {
        quotas.push_back(quota);
    }
    return quotas;
}

OwnerUse MemoryStore::use_of(const std::string& owner) {
    const std::lock_guard lock(mutex_);
    OwnerUse use;
    std::map<std::string, std::int64_t> results;
    for (const auto& [id, row] : jobs_) {
        if (row.job.owner != owner) {
            continue;
        }
        use.queued += row.job.state == JobState::Active ? row.job.n_live : 0;
        for (const JobItem& item : row.items) {
            if (item.state == ItemState::Done) {
                results[item.sha256] = item.bytes;
            }
        }
    }
    for (const auto& [key, task] : tasks_) {
        use.running += task.owner == owner && task.state == TaskState::Running ? 1 : 0;
    }
    for (const auto& [sha256, bytes] : results) {
        use.result_bytes += bytes;
    }
    return use;
}

bool MemoryStore::knows_request(const std::string& principal, const std::string& request_id) {
    const std::lock_guard lock(mutex_);
    return requests_.contains({principal, request_id});
}

void MemoryStore::note_upload(const std::string& owner, const OwnerUpload& upload) {
    const std::lock_guard lock(mutex_);
    std::int64_t& bytes = uploads_[owner][upload.sha256];
    bytes = std::max(bytes, upload.bytes);
}

std::vector<OwnerUpload> MemoryStore::list_uploads(const std::string& owner) {
    const std::lock_guard lock(mutex_);
    std::vector<OwnerUpload> uploads;
    for (const auto& [sha256, bytes] : uploads_[owner]) {
        uploads.push_back({sha256, bytes});
    }
    return uploads;
}

void MemoryStore::forget_uploads(const std::string& owner, std::span<const std::string> sha256) {
    const std::lock_guard lock(mutex_);
    for (const std::string& one : sha256) {
        uploads_[owner].erase(one);
    }
}

int MemoryStore::room_for(const ClaimRequest& request, const std::string& owner) const {
    const auto limit = request.running_limits.find(owner);
    if (limit == request.running_limits.end()) {
        return options_.max_pack;
    }
    const std::int64_t running = std::ranges::count_if(tasks_, [&](const auto& entry) {
        return entry.second.owner == owner && entry.second.state == TaskState::Running;
    });
    return static_cast<int>(
        std::clamp<std::int64_t>(limit->second - running, 0, options_.max_pack));
}

void MemoryStore::age_oldest(const ClaimRequest& request) {
    Task* oldest = nullptr;
    std::map<std::string, int> highest;
    for (auto& [key, task] : tasks_) {
        if (claimable(task, request)) {
            const auto found = highest.try_emplace(task.owner, task.priority).first;
            found->second = std::max(found->second, task.priority);
            if (oldest == nullptr || task.run_at < oldest->run_at) {
                oldest = &task;
            }
        }
    }
    if (oldest != nullptr) {
        oldest->priority = highest[oldest->owner];
    }
}

}  // namespace kaname::store::memory
