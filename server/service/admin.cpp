// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/admin.hpp"

#include <algorithm>

#include "server/service/views.hpp"

namespace kaname::service {
namespace {

constexpr std::size_t kMaxName = 256;
constexpr std::int64_t kUnlimited = -1;
constexpr double kLeastWeight = 0.001, kMostWeight = 1000;

}  // namespace

void Admin::list_workers(v1::ListWorkersResponse& reply) {
    for (const store::WorkerInfo& info : context_.store.list_workers()) {
        *reply.add_workers() = service::to_message(context_, info);
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
    context_.store.drain_worker(id, !request.lift(), actor_of(caller));
    context_.wakeups.notify();
    const auto workers = context_.store.list_workers();
    const auto found = std::ranges::find_if(
        workers, [&](const store::WorkerInfo& info) { return info.spec.worker_id == id; });
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
    context_.store.set_drain({host ? store::DrainKind::Host : store::DrainKind::Gpu, value, ""},
                             !request.lift(), actor_of(caller));
    context_.wakeups.notify();
}

void Admin::list_drains(v1::ListDrainsResponse& reply) {
    for (const store::Drain& drain : context_.store.list_drains()) {
        v1::Drain& message = *reply.add_drains();
        if (drain.kind == store::DrainKind::Host) {
            message.set_host(drain.value);
        } else {
            message.set_gpu_uuid(drain.value);
        }
    }
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

void Admin::list_quotas(v1::ListQuotasResponse& reply) {
    for (const store::OwnerQuota& quota : context_.store.list_quotas()) {
        *reply.add_quotas() = to_message(quota);
    }
}

void Admin::get_stats(v1::Stats& reply) {
    const store::TaskCounts counts = context_.store.count_tasks();
    reply.set_version(context_.options.version);
    reply.set_tasks_blocked(counts.blocked);
    reply.set_tasks_ready(counts.ready);
    reply.set_tasks_running(counts.running);
    reply.set_workers(
        std::ranges::count(context_.store.list_workers(), false, &store::WorkerInfo::lost));
    reply.set_uptime_s(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - context_.started).count());
    reply.set_fenced_completions(context_.n_fenced);
    reply.set_paused(shortage(context_));
    if (context_.options.room != nullptr) {
        for (const space::FolderRoom& room : context_.options.room->folders()) {
            v1::Room& message = *reply.add_rooms();
            message.set_what(room.what);
            message.set_folder(room.folder.string());
            message.set_free_bytes(static_cast<std::int64_t>(room.free));
            message.set_total_bytes(static_cast<std::int64_t>(room.total));
            message.set_low_bytes(static_cast<std::int64_t>(room.low));
            message.set_paused(room.paused);
        }
    }
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
