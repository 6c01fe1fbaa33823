// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <set>
#include <utility>

#include "server/store/rules.hpp"
#include "tests/support/memory_store/memory_store.hpp"

namespace kaname::store::memory {

std::string MemoryStore::place_of(const std::string& token_id) const {
    const auto token = std::ranges::find(tokens_, token_id, &Token::token_id);
    return token == tokens_.end() ? "" : token->place;
}

bool MemoryStore::one_tenure(const std::string& a, const std::string& b) const {
    return a == b || a.empty() || b.empty() || (!place_of(a).empty() && place_of(a) == place_of(b));
}

std::string MemoryStore::cordon_of(const RegisteredWorker& worker) const {
    for (const CordonKind kind : {CordonKind::Gpu, CordonKind::Host, CordonKind::Worker}) {
        for (const Cordon& cordon : cordons_) {
            const bool its =
                kind == CordonKind::Gpu
                    ? std::ranges::count(worker.gpu_uuids, cordon.value) > 0
                    : cordon.value == (kind == CordonKind::Host ? worker.host : worker.worker_id);
            const auto token = cordon_tokens_.find(cordon.value);
            const bool holds = kind != CordonKind::Gpu || token == cordon_tokens_.end() ||
                               one_tenure(token->second, worker.token_id);
            if (cordon.kind == kind && its && holds) {
                return cordon_text(cordon);
            }
        }
    }
    return "";
}

std::vector<Cordon>::iterator MemoryStore::find_cordon(CordonKind kind, const std::string& value) {
    return std::ranges::find_if(
        cordons_, [&](const Cordon& known) { return known.kind == kind && known.value == value; });
}

std::string MemoryStore::host_of_gpu(const std::string& gpu_uuid) const {
    std::string host;
    double newest = -1;
    for (const auto& [id, worker] : workers_) {
        if (worker.registered_at > newest &&
            std::ranges::count(worker.registered.gpu_uuids, gpu_uuid) > 0) {
            host = worker.registered.host;
            newest = worker.registered_at;
        }
    }
    return host;
}

void MemoryStore::set_cordon(const Cordon& cordon, bool on, const Actor& actor) {
    if (cordon.kind == CordonKind::Gpu && !on) {
        uncordon_gpu(cordon.value, actor);
        return;
    }
    const std::lock_guard lock(mutex_);
    if (cordon.kind == CordonKind::Worker && live_worker(cordon.value) == nullptr) {
        throw_worker_unknown(cordon.value);
    }
    const auto found = find_cordon(cordon.kind, cordon.value);
    if (!on) {
        if (found == cordons_.end()) {
            throw_not_cordoned(cordon);
        }
        cordons_.erase(found);
        if (const auto worker = workers_.find(cordon.value);
            cordon.kind == CordonKind::Worker && worker != workers_.end()) {
            worker->second.others_did = 0;
        }
    } else {
        Cordon added = cordon;
        added.by = actor.name;
        added.since_s = clock_();
        added.host = cordon.kind == CordonKind::Host  ? cordon.value
                     : cordon.kind == CordonKind::Gpu ? host_of_gpu(cordon.value)
                                                      : "";
        if (cordon.kind == CordonKind::Gpu) {
            cordon_tokens_.erase(cordon.value);
        }
        if (found == cordons_.end()) {
            cordons_.push_back(added);
        } else if (!found->by.empty()) {
            found->reason = added.reason;
            found->by = added.by;
        }
    }
    keep(actor, method_of(cordon, on), resource_of(cordon), outcome_of(cordon.reason));
}

std::vector<Cordon> MemoryStore::list_cordons() {
    const std::lock_guard lock(mutex_);
    std::vector<Cordon> cordons;
    std::ranges::copy_if(cordons_, std::back_inserter(cordons), [&](const Cordon& cordon) {
        return cordon.kind != CordonKind::Worker || live_worker(cordon.value) != nullptr;
    });
    for (Cordon& cordon : cordons) {
        const auto token = cordon_tokens_.find(cordon.value);
        cordon.of_one_token = cordon.kind == CordonKind::Gpu && token != cordon_tokens_.end() &&
                              !token->second.empty() && place_of(token->second).empty();
    }
    const auto kind = [](const Cordon& cordon) {
        return std::pair(cordon.kind == CordonKind::Gpu    ? 0
                         : cordon.kind == CordonKind::Host ? 1
                                                           : 2,
                         cordon.value);
    };
    std::ranges::sort(cordons, {}, kind);
    return cordons;
}

std::string MemoryStore::drain_of(const RegisteredWorker& worker) const {
    for (const DrainKind kind : {DrainKind::Host, DrainKind::Gpu}) {
        for (const Drain& drain : drains_) {
            const bool its = kind == DrainKind::Host
                                 ? drain.value == worker.host
                                 : std::ranges::count(worker.gpu_uuids, drain.value) > 0;
            if (drain.kind == kind && its) {
                return (kind == DrainKind::Host ? "host " : "gpu ") + drain.value +
                       (drain.reason.empty() ? "" : ": " + drain.reason);
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
        added.host = drain.kind == DrainKind::Host ? drain.value : host_of_gpu(drain.value);
        added.by = actor.name;
        added.since_s = clock_();
        drains_.push_back(added);
    } else if (!drain.reason.empty()) {
        found->reason = drain.reason;
        found->by = actor.name;
    }
    keep(actor, on ? "DrainWorker" : "UndrainWorker", resource_of(drain), outcome_of(drain.reason));
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
            gpu_faults_.push_back({fault, worker->registered.token_id, clock_()});
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
            if (told.fault.gpu_uuid == gpu &&
                one_tenure(told.token_id, worker->registered.token_id)) {
                ++n;
                last = told.fault.reason;
            }
        }
        if (n >= options_.gpu_faults) {
            const auto known = find_cordon(CordonKind::Gpu, gpu);
            const auto token = cordon_tokens_.find(gpu);
            const bool of_others = known != cordons_.end() && known->by.empty() &&
                                   token != cordon_tokens_.end() &&
                                   !one_tenure(token->second, worker->registered.token_id);
            if (of_others) {
                cordons_.erase(known);
            }
            if (known == cordons_.end() || of_others) {
                cordons_.push_back({CordonKind::Gpu, gpu, worker->registered.host,
                                    cordon_reason(options_, gpu, n, last), clock_()});
                cordon_tokens_[gpu] = worker->registered.token_id;
                keep(actor, "CordonGpu", "gpus/" + gpu);
            }
        }
    }
    return cordon_of(worker->registered);
}

void MemoryStore::uncordon_gpu(const std::string& gpu_uuid, const Actor& actor) {
    const std::lock_guard lock(mutex_);
    const auto found = find_cordon(CordonKind::Gpu, gpu_uuid);
    if (found == cordons_.end()) {
        throw_not_cordoned(gpu_uuid);
    }
    cordons_.erase(found);
    cordon_tokens_.erase(gpu_uuid);
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

void MemoryStore::drain_worker(const std::string& worker_id, bool draining, const Actor& actor,
                               const std::string& reason) {
    const std::lock_guard lock(mutex_);
    Worker* worker = live_worker(worker_id);
    if (!worker) {
        throw_worker_unknown(worker_id);
    }
    worker->draining = draining;
    worker->drain_reason = !draining ? "" : reason.empty() ? worker->drain_reason : reason;
    keep(actor, draining ? "DrainWorker" : "UndrainWorker", "workers/" + worker_id,
         outcome_of(reason));
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
        found.emplace_back(
            -worker.registered_at,
            WorkerInfo{worker.registered, worker.lost, worker.draining, age_s, running,
                       cordon_of(worker.registered), worker.gone,
                       !drain_of(worker.registered).empty() ? drain_of(worker.registered)
                       : worker.draining                    ? worker.drain_reason
                                                            : ""});
    }
    std::ranges::stable_sort(found, {}, &std::pair<double, WorkerInfo>::first);
    const auto place = [](const WorkerInfo& info) {
        return std::pair(info.heartbeat_age_s, info.registered.worker_id);
    };
    std::map<std::string, std::vector<std::pair<double, std::string>>> ended;  // by token
    for (const auto& [key, info] : found) {
        if (info.lost) {
            ended[info.registered.token_id].push_back(place(info));
        }
    }
    std::erase_if(found, [&](const auto& entry) {
        return entry.second.lost && std::ranges::count_if(ended[entry.second.registered.token_id],
                                                          [&](const auto& other) {
                                                              return other < place(entry.second);
                                                          }) >= options_.live_workers_of_token;
    });
    std::vector<WorkerInfo> workers;
    for (auto& [key, info] : found) {
        workers.push_back(std::move(info));
    }
    return workers;
}

}  // namespace kaname::store::memory
