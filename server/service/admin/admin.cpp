// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/admin/admin.hpp"

#include <algorithm>

#include "server/service/admin/access.hpp"
#include "server/service/stream/paging.hpp"
#include "server/service/views.hpp"
#include "server/service/workers/workers.hpp"
#include "solvers/base/text.hpp"

namespace kaname::service {
namespace {

constexpr std::int64_t kUnlimited = -1;
constexpr std::size_t kMaxReason = 1000;
constexpr double kLeastWeight = 0.001, kMostWeight = 1000;

/// On one line, for lists.
std::string reason_of(const std::string& text, const char* field) {
    if (text.size() > kMaxReason) {
        refuse(field, "must have at most " + std::to_string(kMaxReason) + " bytes, got " +
                          std::to_string(text.size()));
    }
    std::string line = to_utf8(text);
    std::ranges::replace_if(
        line, [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
    return line;
}

store::Cordon cordon_of(const v1::Cordon& message) {
    using What = v1::Cordon;
    store::Cordon cordon;
    switch (message.what_case()) {
        case What::kHost:
            cordon.kind = store::CordonKind::Host;
            cordon.value = message.host();
            break;
        case What::kGpuUuid:
            cordon.kind = store::CordonKind::Gpu;
            cordon.value = message.gpu_uuid();
            break;
        case What::kWorker:
            cordon.kind = store::CordonKind::Worker;
            cordon.value = id_of(message.worker(), "workers", "cordon.worker");
            break;
        case What::WHAT_NOT_SET:
            break;
    }
    if (cordon.value.empty() || cordon.value.size() > kMaxName) {
        refuse("cordon", "must name a worker, a host or the UUID of a GPU in 1.." +
                             std::to_string(kMaxName) + " bytes, got " +
                             std::to_string(cordon.value.size()));
    }
    cordon.reason = reason_of(message.reason(), "cordon.reason");
    return cordon;
}

v1::Cordon cordon_message(const store::Cordon& cordon) {
    v1::Cordon message;
    switch (cordon.kind) {
        case store::CordonKind::Host:
            message.set_host(cordon.value);
            break;
        case store::CordonKind::Gpu:
            message.set_gpu_uuid(cordon.value);
            break;
        case store::CordonKind::Worker:
            message.set_worker("workers/" + cordon.value);
            break;
    }
    message.set_reason(cordon.reason);
    message.set_since_s(cordon.since_s);
    message.set_by(cordon.by);
    return message;
}

v1::Drain drain_message(const store::Drain& drain) {
    v1::Drain message;
    if (drain.kind == store::DrainKind::Host) {
        message.set_host(drain.value);
    } else {
        message.set_gpu_uuid(drain.value);
    }
    message.set_reason(drain.reason);
    message.set_since_s(drain.since_s);
    message.set_by(drain.by);
    return message;
}

}  // namespace

void Admin::list_workers(const v1::ListWorkersRequest& request, v1::ListWorkersResponse& reply) {
    for (const store::WorkerInfo& info : context_.store.list_workers()) {
        *reply.add_workers() = service::to_message(context_, info);
    }
    keep_page(request, *reply.mutable_workers(), *reply.mutable_next_page_token(),
              [](const v1::Worker& row) { return row.name(); });
    if (!request.page_token().empty()) {
        return;
    }
    constexpr double kHour_s = 3600;
    for (const store::Dispatch& dispatch : context_.store.list_dispatches("", kHour_s)) {
        v1::Dispatch& message = *reply.add_dispatches();
        message.set_id(dispatch.dispatch_id);
        message.set_pool(dispatch.pool);
        message.set_native_id(dispatch.native_id);
        message.set_state(std::string(to_string(dispatch.state)));
        message.set_reason(dispatch.reason);
        if (dispatch.exit_code) {
            message.set_exit_code(*dispatch.exit_code);
        }
        message.set_intended_s(dispatch.intended_s);
        message.set_ended_s(dispatch.ended_s);
    }
}

void Admin::drain_worker(const v1::DrainWorkerRequest& request, const auth::Principal& caller,
                         v1::Worker& reply) {
    const std::string id = id_of(request.name(), "workers", "name");
    context_.store.drain_worker(id, !request.lift(), actor_of(caller),
                                reason_of(request.reason(), "reason"));
    context_.wakeups.notify();
    const auto workers = context_.store.list_workers();
    const auto found = std::ranges::find_if(
        workers, [&](const store::WorkerInfo& info) { return info.registered.worker_id == id; });
    if (found != workers.end()) {
        reply = service::to_message(context_, *found);
    }
}

void Admin::uncordon_gpu(const v1::UncordonGpuRequest& request, const auth::Principal& caller) {
    context_.store.uncordon_gpu(request.gpu_uuid(), actor_of(caller));
    context_.wakeups.notify();
}

void Admin::set_drain(const v1::SetDrainRequest& request, const auth::Principal& caller) {
    const bool host = request.drain().has_host();
    const std::string& value = host ? request.drain().host() : request.drain().gpu_uuid();
    if (value.empty() || value.size() > kMaxName) {
        refuse("drain", "must name a host or the UUID of a GPU in 1.." + std::to_string(kMaxName) +
                            " bytes, got " + std::to_string(value.size()));
    }
    context_.store.set_drain({host ? store::DrainKind::Host : store::DrainKind::Gpu, value, "",
                              reason_of(request.drain().reason(), "drain.reason")},
                             !request.lift(), actor_of(caller));
    context_.wakeups.notify();
}

void Admin::list_drains(const v1::ListDrainsRequest& request, v1::ListDrainsResponse& reply) {
    for (const store::Drain& drain : context_.store.list_drains()) {
        *reply.add_drains() = drain_message(drain);
    }
    keep_page(request, *reply.mutable_drains(), *reply.mutable_next_page_token(),
              [](const v1::Drain& row) { return row.host() + '/' + row.gpu_uuid(); });
}

void Admin::set_cordon(const v1::SetCordonRequest& request, const auth::Principal& caller) {
    context_.store.set_cordon(cordon_of(request.cordon()), !request.lift(), actor_of(caller));
    context_.wakeups.notify();
}

void Admin::list_cordons(const v1::ListCordonsRequest& request, v1::ListCordonsResponse& reply) {
    for (const store::Cordon& cordon : context_.store.list_cordons()) {
        *reply.add_cordons() = cordon_message(cordon);
    }
    keep_page(request, *reply.mutable_cordons(), *reply.mutable_next_page_token(),
              [](const v1::Cordon& row) {
                  return row.host() + '/' + row.gpu_uuid() + '/' + row.worker();
              });
}

void Admin::list_gpu_history(const v1::ListGpuHistoryRequest& request,
                             v1::ListGpuHistoryResponse& reply) {
    constexpr int kDefaultGpus = 100, kMostGpus = 500;
    const auto size = static_cast<std::size_t>(
        std::min(kMostGpus, page_size_of(request.page_size(), kDefaultGpus)));
    std::vector<v1::GpuHistory> gpus =
        context_.gpu_history.list(request.gpu_uuid(), request.page_token(), size + 1);
    if (gpus.size() > size) {
        gpus.pop_back();
        reply.set_next_page_token(gpus.back().status().uuid());
    }
    std::vector<std::string> uuids;
    for (const v1::GpuHistory& gpu : gpus) {
        uuids.push_back(gpu.status().uuid());
    }
    const auto faults = context_.store.list_gpu_faults(uuids);
    const auto cordons = context_.store.list_cordons();
    const auto drains = context_.store.list_drains();
    const auto workers = context_.store.list_workers();
    for (v1::GpuHistory& gpu : gpus) {
        const std::string& uuid = gpu.status().uuid();
        if (const auto found = faults.find(uuid); found != faults.end()) {
            for (const store::ReportedGpuFault& told : found->second) {
                v1::GpuHistory::Fault& fault = *gpu.add_faults();
                fault.set_at_s(told.at_s);
                fault.set_reason(told.reason);
            }
        }
        for (const store::Cordon& cordon : cordons) {
            if (cordon.kind == store::CordonKind::Gpu && cordon.value == uuid) {
                *gpu.mutable_cordon() = cordon_message(cordon);
            }
        }
        for (const store::Drain& drain : drains) {
            if (drain.kind == store::DrainKind::Gpu && drain.value == uuid) {
                *gpu.mutable_drain() = drain_message(drain);
            }
        }
        const auto worker = std::ranges::find_if(workers, [&](const store::WorkerInfo& info) {
            return "workers/" + info.registered.worker_id == gpu.worker();
        });
        gpu.set_host(worker != workers.end() ? worker->registered.host : "");
        *reply.add_gpus() = std::move(gpu);
    }
}

void Admin::list_backups(const v1::ListBackupsRequest& request, v1::ListBackupsResponse& reply) {
    for (const store::Backup& backup : context_.store.list_backups()) {
        v1::Backup& message = *reply.add_backups();
        message.set_id(backup.backup_id);
        message.set_folder(backup.folder);
        message.set_host(backup.host);
        message.set_state(backup.state);
        message.set_artifacts(backup.artifacts);
        message.set_started_s(backup.started_s);
        message.set_ended_s(backup.ended_s);
        message.set_files(backup.files);
        message.set_bytes(backup.bytes);
        message.set_database_bytes(backup.database_bytes);
        message.set_error(backup.error);
    }
    keep_page(request, *reply.mutable_backups(), *reply.mutable_next_page_token(),
              [](const v1::Backup& row) { return row.id(); });
}

v1::Quota Admin::to_message(const store::OwnerQuota& quota) {
    const store::OwnerUse use = context_.store.use_of(quota.owner);
    v1::Quota message;
    message.set_owner(quota.owner);
    if (quota.queued) {
        message.set_queued(*quota.queued);
    }
    if (quota.running) {
        message.set_running(*quota.running);
    }
    if (quota.bytes) {
        message.set_bytes(*quota.bytes);
    }
    message.set_weight(quota.weight);
    message.set_queued_used(use.queued);
    message.set_running_used(use.running);
    message.set_bytes_used(context_.quotas.bytes_of(quota.owner, use.result_bytes));
    return message;
}

void Admin::set_quota(const v1::SetQuotaRequest& request, const auth::Principal& caller,
                      v1::Quota& reply) {
    std::vector<Violation> broken;
    if (request.owner().empty() || request.owner().size() > kMaxName) {
        broken.push_back({"owner", "must be a name of 1.." + std::to_string(kMaxName) +
                                       " bytes, got " + std::to_string(request.owner().size())});
    }
    const auto check_limit = [&](bool given, std::int64_t limit, const char* field) {
        if (given && limit < kUnlimited) {
            broken.push_back(
                {field, "must be >= 0, or -1 for unlimited, got " + std::to_string(limit)});
        }
    };
    check_limit(request.has_queued(), request.queued(), "queued");
    check_limit(request.has_running(), request.running(), "running");
    check_limit(request.has_bytes(), request.bytes(), "bytes");
    if (request.has_weight() &&
        !(request.weight() >= kLeastWeight && request.weight() <= kMostWeight)) {
        broken.push_back(
            {"weight", "must be within 0.001..1000, got " + std::to_string(request.weight())});
    }
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
    store::OwnerQuota quota;
    quota.owner = request.owner();
    for (const store::OwnerQuota& known : context_.store.list_quotas()) {
        quota = known.owner == quota.owner ? known : quota;
    }
    const auto set = [](std::optional<std::int64_t>& limit, bool given, std::int64_t wanted) {
        if (given) {
            limit = wanted == kUnlimited ? std::nullopt : std::optional(wanted);
        }
    };
    set(quota.queued, request.has_queued(), request.queued());
    set(quota.running, request.has_running(), request.running());
    set(quota.bytes, request.has_bytes(), request.bytes());
    quota.weight = request.has_weight() ? request.weight() : quota.weight;
    context_.store.set_quota(quota, actor_of(caller));
    context_.quotas.changed();
    context_.wakeups.notify();
    reply = to_message(quota);
}

void Admin::list_quotas(const v1::ListQuotasRequest& request, v1::ListQuotasResponse& reply) {
    for (const store::OwnerQuota& quota : context_.store.list_quotas()) {
        *reply.add_quotas() = to_message(quota);
    }
    keep_page(request, *reply.mutable_quotas(), *reply.mutable_next_page_token(),
              [](const v1::Quota& row) { return row.owner(); });
}

void Admin::collect_garbage(const v1::CollectGarbageRequest& request, const auth::Principal& caller,
                            v1::CollectGarbageResponse& reply) {
    if (context_.options.collector == nullptr) {
        throw Error(ErrorCode::Unavailable, "this server collects nothing");
    }
    const space::Sweep sweep = context_.options.collector->sweep(
        request.dry_run(), [this] { return context_.draining.load(); });
    reply.set_files(sweep.n_files);
    reply.set_bytes(sweep.bytes);
    reply.set_loose_files(sweep.n_loose);
    reply.set_loose_bytes(sweep.loose_bytes);
    reply.set_due_files(sweep.n_due);
    reply.set_due_bytes(sweep.due_bytes);
    reply.set_removed_files(sweep.n_removed);
    reply.set_removed_bytes(sweep.removed_bytes);
    reply.set_removed_partials(sweep.n_partials);
    reply.set_removed_logs(sweep.n_logs);
    reply.set_removed_rows(sweep.n_rows);
    if (!request.dry_run()) {
        context_.store.record({.principal = caller.name,
                               .role = std::string(to_string(caller.role)),
                               .method = "CollectGarbage",
                               .resource = "artifacts",
                               .outcome = "ok, " + std::to_string(sweep.n_removed) + " files"});
    }
}

}  // namespace kaname::service
