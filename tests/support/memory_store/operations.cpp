// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <ranges>

#include "tests/support/memory_store/memory_store.hpp"

namespace kaname::store::memory {

std::vector<AttemptFailure> MemoryStore::list_failures(int limit) {
    const std::lock_guard lock(mutex_);
    std::vector<AttemptFailure> newest;
    for (const AttemptFailure& failure :
         std::views::reverse(failures_) | std::views::take(std::max(0, limit))) {
        newest.push_back(failure);
    }
    return newest;
}

double MemoryStore::oldest_ready_age_s() {
    const std::lock_guard lock(mutex_);
    double age_s = 0;
    for (const auto& [key, task] : tasks_) {
        if (task.state == TaskState::Ready) {
            age_s = std::max(age_s, clock_() - task.run_at);
        }
    }
    return age_s;
}

std::int64_t MemoryStore::count_active_jobs() {
    const std::lock_guard lock(mutex_);
    return std::ranges::count_if(
        jobs_, [](const auto& entry) { return entry.second.job.state == JobState::Active; });
}

DatabaseState MemoryStore::look_at_database() {
    return {.version = "memory", .schema = "memory"};
}

std::map<std::string, std::vector<ReportedGpuFault>> MemoryStore::list_gpu_faults(
    std::span<const std::string> gpu_uuids) {
    const std::lock_guard lock(mutex_);
    std::map<std::string, std::vector<ReportedGpuFault>> faults;
    for (const ToldFault& told : std::views::reverse(gpu_faults_)) {
        if (std::ranges::count(gpu_uuids, told.fault.gpu_uuid) > 0) {
            faults[told.fault.gpu_uuid].push_back({told.at, told.fault.reason});
        }
    }
    return faults;
}

std::vector<Backup> MemoryStore::list_backups() {
    return {};
}

}  // namespace kaname::store::memory
