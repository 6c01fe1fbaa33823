// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/gpu_board.hpp"

#include "server/service/progress_board.hpp"

namespace kaname::service {

bool GpuBoard::is_stale(const Told& told) const {
    return now_() - told.at > kHeartbeatShown;
}

void GpuBoard::set(const std::string& worker_id, const v1::HeartbeatRequest& heartbeat) {
    const std::lock_guard lock(mutex_);
    std::erase_if(told_, [&](const auto& entry) { return is_stale(entry.second); });
    told_[worker_id] = {{{heartbeat.gpus().begin(), heartbeat.gpus().end()}, heartbeat.not_ready()},
                        now_()};
}

GpuBoard::Entry GpuBoard::of(const std::string& worker_id) const {
    const std::lock_guard lock(mutex_);
    const auto found = told_.find(worker_id);
    return found == told_.end() || is_stale(found->second) ? Entry{} : found->second.entry;
}

std::vector<v1::GpuStatus> GpuBoard::recent() const {
    const std::lock_guard lock(mutex_);
    std::map<std::string, const Told*> newest;  // several workers may share a GPU
    std::map<std::string, v1::GpuStatus> by_uuid;
    for (const auto& [worker, told] : told_) {
        if (is_stale(told)) {
            continue;
        }
        for (const v1::GpuStatus& gpu : told.entry.gpus) {
            const Told*& known = newest[gpu.uuid()];
            if (known == nullptr || known->at < told.at) {
                known = &told;
                by_uuid[gpu.uuid()] = gpu;
            }
        }
    }
    std::vector<v1::GpuStatus> gpus;
    for (auto& [uuid, gpu] : by_uuid) {
        gpus.push_back(std::move(gpu));
    }
    return gpus;
}

}  // namespace kaname::service
