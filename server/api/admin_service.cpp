// SPDX-License-Identifier: BSD-3-Clause
#include "server/api/admin_service.hpp"

#include <algorithm>

#include "server/api/views.hpp"

namespace kaname::api {
namespace {

using auth::Role;

v1::Worker to_message(const Context& context, const store::WorkerInfo& info) {
    v1::Worker worker;
    worker.set_name("workers/" + info.spec.worker_id);
    worker.set_title(info.spec.name);
    worker.set_host(info.spec.host);
    worker.set_version(info.spec.version);
    worker.set_ranks(info.spec.ranks);
    worker.set_threads(info.spec.threads);
    const GpuBoard::Entry told = context.gpus.of(info.spec.worker_id);
    worker.set_state(info.lost                 ? v1::Worker::LOST
                     : info.draining           ? v1::Worker::DRAINING
                     : !info.cordon.empty()    ? v1::Worker::CORDONED
                     : !told.not_ready.empty() ? v1::Worker::NOT_READY
                     : info.n_running > 0      ? v1::Worker::BUSY
                                               : v1::Worker::IDLE);
    worker.set_reason(info.cordon.empty() ? told.not_ready : info.cordon);
    for (const std::string& uuid : info.spec.gpu_uuids) {
        const auto status = std::ranges::find(told.gpus, uuid, &v1::GpuStatus::uuid);
        v1::GpuStatus& gpu = *worker.add_gpus();
        if (status != told.gpus.end()) {
            gpu = *status;
        }
        gpu.set_uuid(uuid);
    }
    worker.set_heartbeat_age_s(info.heartbeat_age_s);
    worker.set_running(info.n_running);
    worker.set_text(context.board.text_of(info.spec.worker_id));
    return worker;
}

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
