// SPDX-License-Identifier: BSD-3-Clause
#include "server/api/admin_service.hpp"

#include <algorithm>

#include "server/api/views.hpp"

namespace kaname::api {
namespace {

using auth::Role;

}  // namespace

grpc::Status AdminService::ListWorkers(grpc::ServerContext* call, const v1::ListWorkersRequest*,
                                       v1::ListWorkersResponse* reply) {
    return handle(context_, *call, Role::Viewer, [&](const auth::Principal&) {
        for (const store::WorkerInfo& info : context_.store.list_workers()) {
            *reply->add_workers() = to_message(context_, info);
        }
    });
}

grpc::Status AdminService::DrainWorker(grpc::ServerContext* call,
                                       const v1::DrainWorkerRequest* request, v1::Worker* reply) {
    return handle(context_, *call, Role::Operator, [&](const auth::Principal&) {
        const std::string id = id_of(request->name(), "workers", "name");
        context_.store.drain_worker(id, true);
        context_.wakeups.notify();
        const auto workers = context_.store.list_workers();
        const auto found = std::ranges::find_if(
            workers, [&](const store::WorkerInfo& info) { return info.spec.worker_id == id; });
        if (found != workers.end()) {
            *reply = to_message(context_, *found);
        }
    });
}

grpc::Status AdminService::UncordonGpu(grpc::ServerContext* call,
                                       const v1::UncordonGpuRequest* request,
                                       v1::UncordonGpuResponse*) {
    return handle(context_, *call, Role::Operator, [&](const auth::Principal&) {
        context_.store.uncordon_gpu(request->gpu_uuid());
        context_.wakeups.notify();
    });
}

grpc::Status AdminService::GetStats(grpc::ServerContext* call, const v1::GetStatsRequest*,
                                    v1::Stats* reply) {
    return handle(context_, *call, Role::Viewer, [&](const auth::Principal&) {
        const store::TaskCounts counts = context_.store.count_tasks();
        reply->set_version(context_.options.version);
        reply->set_tasks_blocked(counts.blocked);
        reply->set_tasks_ready(counts.ready);
        reply->set_tasks_running(counts.running);
        reply->set_workers(
            std::ranges::count(context_.store.list_workers(), false, &store::WorkerInfo::lost));
        reply->set_uptime_s(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - context_.started)
                .count());
        reply->set_fenced_completions(context_.n_fenced);
    });
}

}  // namespace kaname::api
