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
}

}  // namespace kaname::service
