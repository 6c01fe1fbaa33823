// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/workers/gpu_board.hpp"

#include <algorithm>

#include "server/service/jobs/progress_board.hpp"

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

std::int64_t GpuHistory::step_now() const {
    return std::chrono::duration_cast<std::chrono::seconds>(now_().time_since_epoch()).count() /
           kEvery_s;
}

void GpuHistory::note(const std::string& worker_id,
                      const google::protobuf::RepeatedPtrField<v1::GpuStatus>& gpus) {
    const std::int64_t step = step_now();
    const std::lock_guard lock(mutex_);
    for (const v1::GpuStatus& told : gpus) {
        if (told.uuid().empty()) {
            continue;
        }
        Gpu& gpu = gpus_[told.uuid()];
        gpu.status = told;
        gpu.worker_id = worker_id;
        // Steps at which nobody spoke are gaps; a clock that was set back begins anew.
        if (gpu.samples.empty() || step < gpu.last || step - gpu.last >= kSamples) {
            gpu.samples.assign(1, {});
        } else {
            for (std::int64_t gap = gpu.last; gap < step; ++gap) {
                gpu.samples.emplace_back();
            }
        }
        gpu.last = step;
        while (gpu.samples.size() > kSamples) {
            gpu.samples.pop_front();
        }
        Sample& sample = gpu.samples.back();
        const auto known = [](bool has, double value) {
            return has ? static_cast<float>(value) : -1.0F;
        };
        sample.utilisation = known(told.has_utilisation_ratio(), told.utilisation_ratio());
        sample.memory =
            known(told.has_memory_used_bytes() && told.memory_total_bytes() > 0,
                  static_cast<double>(told.memory_used_bytes()) /
                      static_cast<double>(std::max<std::uint64_t>(1, told.memory_total_bytes())));
        sample.power_w = known(told.has_power_w(), told.power_w());
        sample.temperature_c = known(told.has_temperature_c(), told.temperature_c());
    }
    std::erase_if(gpus_, [&](const auto& entry) { return step - entry.second.last >= kSamples; });
    while (gpus_.size() > kMostGpus) {
        gpus_.erase(std::ranges::min_element(gpus_, {},
                                             [](const auto& entry) { return entry.second.last; }));
    }
}

std::vector<v1::GpuHistory> GpuHistory::list(const std::string& only, const std::string& after,
                                             std::size_t limit) const {
    const std::int64_t step = step_now();
    std::vector<v1::GpuHistory> listed;
    const std::lock_guard lock(mutex_);
    for (auto found = gpus_.upper_bound(after); found != gpus_.end() && listed.size() < limit;
         ++found) {
        const auto& [uuid, gpu] = *found;
        if ((!only.empty() && uuid != only) || step - gpu.last >= kSamples) {
            continue;
        }
        v1::GpuHistory& message = listed.emplace_back();
        *message.mutable_status() = gpu.status;
        message.set_worker("workers/" + gpu.worker_id);
        message.set_last_s(static_cast<double>(gpu.last * kEvery_s));
        message.set_every_s(kEvery_s);
        for (const Sample& sample : gpu.samples) {
            message.add_utilisation_ratio(sample.utilisation);
            message.add_memory_used_ratio(sample.memory);
            message.add_power_w(sample.power_w);
            message.add_temperature_c(sample.temperature_c);
        }
    }
    return listed;
}

}  // namespace kaname::service
