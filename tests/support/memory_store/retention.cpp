// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "solvers/base/error.hpp"
#include "tests/support/memory_store/memory_store.hpp"

namespace kaname::store::memory {
namespace {

constexpr double kUploadKept_s = 2 * 86400.0;

/// Removes the first `limit` that are `old`; how many.
template <class Container, class Old>
std::int64_t drop(Container& container, int limit, const Old& old) {
    std::int64_t n = 0;
    for (auto at = container.begin(); at != container.end() && n < limit;) {
        if (old(*at)) {
            at = container.erase(at);
            ++n;
        } else {
            ++at;
        }
    }
    return n;
}

}  // namespace

bool MemoryStore::in_use(const std::string& file) const {
    for (const auto& [id, campaign] : campaigns_) {
        if (campaign.files.contains(file)) {
            return true;
        }
    }
    for (const auto& [id, row] : jobs_) {
        if (row.files.contains(file)) {
            return true;
        }
        for (const JobItem& item : row.items) {
            const auto result = artifacts_.find(item.content_key);
            if (item.sha256 == file ||
                (item.state == ItemState::Live && result != artifacts_.end() &&
                 result->second.sha256 == file)) {
                return true;
            }
        }
    }
    for (const auto& [key, files] : task_files_) {
        if (files.contains(file) && tasks_.contains(key)) {
            return true;
        }
    }
    return std::ranges::any_of(result_uploads_, [&](const auto& upload) {
        return upload.first.second == file && upload.second > clock_() - kUploadKept_s;
    });
}

std::vector<LooseFile> MemoryStore::note_loose_files(std::span<const std::string> files) {
    const std::lock_guard lock(mutex_);
    std::vector<LooseFile> loose;
    for (const std::string& file : std::set<std::string>(files.begin(), files.end())) {
        if (in_use(file)) {
            loose_files_.erase(file);
            continue;
        }
        const double since = loose_files_.emplace(file, clock_()).first->second;
        const bool result = std::ranges::any_of(
            artifacts_, [&](const auto& entry) { return entry.second.sha256 == file; });
        loose.push_back({file, clock_() - since, result});
    }
    return loose;
}

std::vector<std::string> MemoryStore::forget_files(std::span<const Removable> files,
                                                   const TakeFile& remove) {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> gone;
    for (const auto& [file, least_s] : files) {
        const auto noted = loose_files_.find(file);
        if (noted == loose_files_.end() || clock_() - noted->second < least_s || in_use(file) ||
            !remove(file)) {
            continue;
        }
        loose_files_.erase(noted);
        std::erase_if(artifacts_,
                      [&, &hash = file](const auto& entry) { return entry.second.sha256 == hash; });
        gone.push_back(file);
    }
    return gone;
}

void MemoryStore::adopt_checkpoints(std::span<const std::string> files) {
    const std::lock_guard lock(mutex_);
    for (const std::string& file : files) {
        checkpoint_files_.emplace(file, CheckpointFile{true, clock_()});
    }
}

bool MemoryStore::begin_upkeep(double interval_s) {
    const std::lock_guard lock(mutex_);
    if (upkeep_ && clock_() - *upkeep_ < interval_s) {
        return false;
    }
    upkeep_ = clock_();
    return true;
}

std::int64_t MemoryStore::prune(const History& history, int limit) {
    if (limit < 1) {
        throw Error(ErrorCode::InvalidArgument,
                    "limit of prune must be >= 1, got " + std::to_string(limit));
    }
    const std::lock_guard lock(mutex_);
    const double now = clock_();
    const auto holds = [&](const std::string& worker) {
        return std::ranges::any_of(
            tasks_, [&](const auto& entry) { return entry.second.worker_id == worker; });
    };
    // Attempts and cancelled tasks have no time here: they are kept.
    return drop(workers_, limit,
                [&](const auto& entry) {
                    return entry.second.lost && !holds(entry.first) &&
                           entry.second.heartbeat_at < now - history.ended_s;
                }) +
           drop(gpu_faults_, limit,
                [&](const ToldFault& fault) { return fault.at < now - history.ended_s; }) +
           drop(tokens_, limit,
                [&](const Token& token) {
                    return token.single && token.revoked_s > 0 &&
                           token.revoked_s < now - history.ended_s;
                }) +
           drop(audit_, limit,
                [&](const AuditEvent& event) {
                    const bool refused = event.outcome.starts_with("refused");
                    return event.at_s < now - history.audit_s ||
                           (refused && event.at_s < now - history.refusals_s);
                }) +
           drop(task_files_, limit,
                [&](const auto& entry) { return !tasks_.contains(entry.first); });
}

}  // namespace kaname::store::memory
