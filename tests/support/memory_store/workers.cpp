// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <set>
#include <utility>

#include "server/store/rules.hpp"
#include "tests/support/memory_store/memory_store.hpp"

namespace kaname::store::memory {

std::string MemoryStore::cordon_of(const WorkerSpec& worker) const {
    for (const auto& [gpu, reason] : cordons_) {
        if (std::ranges::count(worker.gpu_uuids, gpu) > 0) {
            return reason;
        }
    }
    return "";
}

std::string MemoryStore::drain_of(const WorkerSpec& worker) const {
    for (const DrainKind kind : {DrainKind::Host, DrainKind::Gpu}) {
        for (const Drain& drain : drains_) {
            const bool its = kind == DrainKind::Host
                                 ? drain.value == worker.host
                                 : std::ranges::count(worker.gpu_uuids, drain.value) > 0;
            if (drain.kind == kind && its) {
                return (kind == DrainKind::Host ? "host " : "gpu ") + drain.value;
            }
        }
    }
    return "";
}

void MemoryStore::set_drain(const Drain& drain, bool on, const Actor& actor) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(drains_, [&](const Drain& known) {
        return known.kind == drain.kind && known.value == drain.value;
    });
    if (!on && found == drains_.end()) {
        throw_not_drained(drain);
    }
    if (!on) {
        drains_.erase(found);
    } else if (found == drains_.end()) {
        Drain added = drain;
        added.host = drain.kind == DrainKind::Host ? drain.value : "";
        double newest = -1;
        for (const auto& [id, worker] : workers_) {
            if (drain.kind == DrainKind::Gpu && worker.registered_at > newest &&
                std::ranges::count(worker.spec.gpu_uuids, drain.value) > 0) {
                added.host = worker.spec.host;
                newest = worker.registered_at;
            }
        }
        drains_.push_back(added);
    }
    keep(actor, on ? "DrainWorker" : "UndrainWorker", resource_of(drain));
}

std::vector<Drain> MemoryStore::list_drains() {
    const std::lock_guard lock(mutex_);
    return drains_;
}

std::string MemoryStore::record_gpu_faults(const std::string& worker_id,
                                           std::span<const GpuFault> faults, const Actor& actor) {
    const std::lock_guard lock(mutex_);
    Worker* worker = live_worker(worker_id);
    if (!worker) {
        throw_worker_unknown(worker_id);
    }
    worker->heartbeat_at = clock_();
    std::set<std::string> gpus;
    for (const GpuFault& fault : faults) {
        const bool is_new = std::ranges::none_of(gpu_faults_, [&](const ToldFault& told) {
            return told.fault.fault_id == fault.fault_id;
        });
        if (is_new) {
            gpu_faults_.push_back({fault, clock_()});
        }
        gpus.insert(fault.gpu_uuid);
    }
    std::erase_if(gpu_faults_, [&](const ToldFault& told) {
        return told.at <= clock_() - options_.gpu_fault_memory_s;
    });
    for (const std::string& gpu : gpus) {
        std::int64_t n = 0;
        std::string last;
        for (const ToldFault& told : gpu_faults_) {
            if (told.fault.gpu_uuid == gpu) {
                ++n;
                last = told.fault.reason;
            }
        }
        if (n >= options_.gpu_faults) {
            if (cordons_.try_emplace(gpu, cordon_reason(options_, gpu, n, last)).second) {
                keep(actor, "CordonGpu", "gpus/" + gpu);
            }
        }
    }
    return cordon_of(worker->spec);
}

void MemoryStore::uncordon_gpu(const std::string& gpu_uuid, const Actor& actor) {
    const std::lock_guard lock(mutex_);
    if (cordons_.erase(gpu_uuid) == 0) {
        throw_not_cordoned(gpu_uuid);
    }
    keep(actor, "UncordonGpu", "gpus/" + gpu_uuid);
    std::erase_if(gpu_faults_,
                  [&](const ToldFault& told) { return told.fault.gpu_uuid == gpu_uuid; });
}

void MemoryStore::remove_worker(const std::string& worker_id) {
    const std::lock_guard lock(mutex_);
    const bool holds = std::ranges::any_of(tasks_, [&](const auto& entry) {
        return entry.second.state == TaskState::Running && entry.second.worker_id == worker_id;
    });
    if (!holds && live_worker(worker_id) != nullptr) {
        Worker& worker = workers_.at(worker_id);
        worker.lost = worker.gone = true;
        worker.heartbeat_at = clock_();
    }
}

void MemoryStore::drain_worker(const std::string& worker_id, bool draining, const Actor& actor) {
    const std::lock_guard lock(mutex_);
    Worker* worker = live_worker(worker_id);
    if (!worker) {
        throw_worker_unknown(worker_id);
    }
    worker->draining = draining;
    keep(actor, draining ? "DrainWorker" : "UndrainWorker", "workers/" + worker_id);
}

std::vector<WorkerInfo> MemoryStore::list_workers() {
    const std::lock_guard lock(mutex_);
    constexpr double kShowLost_s = 3600;
    std::vector<std::pair<double, WorkerInfo>> found;
    for (const auto& [id, worker] : workers_) {
        const double age_s = clock_() - worker.heartbeat_at;
        if (worker.lost && age_s > kShowLost_s) {
            continue;
        }
        const auto running = std::ranges::count_if(tasks_, [&](const auto& entry) {
            return entry.second.state == TaskState::Running && entry.second.worker_id == id;
        });
        found.emplace_back(-worker.registered_at,
                           WorkerInfo{worker.spec, worker.lost, worker.draining, age_s, running,
                                      cordon_of(worker.spec), worker.gone, drain_of(worker.spec)});
    }
    std::ranges::stable_sort(found, {}, &std::pair<double, WorkerInfo>::first);
    std::vector<WorkerInfo> workers;
    for (auto& [key, info] : found) {
        workers.push_back(std::move(info));
    }
    return workers;
}

}  // namespace kaname::store::memory
