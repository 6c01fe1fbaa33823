// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/admin.hpp"

#include <algorithm>

#include "server/service/views.hpp"

namespace kaname::service {

void Admin::list_workers(v1::ListWorkersResponse& reply) {
    for (const store::WorkerInfo& info : context_.store.list_workers()) {
        *reply.add_workers() = to_message(context_, info);
    }
}

void Admin::drain_worker(const v1::DrainWorkerRequest& request, const auth::Principal& caller,
                         v1::Worker& reply) {
    const std::string id = id_of(request.name(), "workers", "name");
    context_.store.drain_worker(id, true, actor_of(caller));
    context_.wakeups.notify();
    const auto workers = context_.store.list_workers();
    const auto found = std::ranges::find_if(
        workers, [&](const store::WorkerInfo& info) { return info.spec.worker_id == id; });
    if (found != workers.end()) {
        reply = to_message(context_, *found);
    }
}

void Admin::uncordon_gpu(const v1::UncordonGpuRequest& request, const auth::Principal& caller) {
    context_.store.uncordon_gpu(request.gpu_uuid(), actor_of(caller));
    context_.wakeups.notify();
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
