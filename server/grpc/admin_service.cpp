// SPDX-License-Identifier: BSD-3-Clause
#include "server/grpc/admin_service.hpp"

#include "server/grpc/call.hpp"

namespace kaname::rpc {

using auth::Role;

grpc::Status AdminService::ListWorkers(grpc::ServerContext* call, const v1::ListWorkersRequest*,
                                       v1::ListWorkersResponse* reply) {
    return handle(context_, *call, Role::Viewer,
                  [&](const auth::Principal&) { admin_.list_workers(*reply); });
}

grpc::Status AdminService::DrainWorker(grpc::ServerContext* call,
                                       const v1::DrainWorkerRequest* request, v1::Worker* reply) {
    return handle(context_, *call, Role::Operator,
                  [&](const auth::Principal&) { admin_.drain_worker(*request, *reply); });
}

grpc::Status AdminService::UncordonGpu(grpc::ServerContext* call,
                                       const v1::UncordonGpuRequest* request,
                                       v1::UncordonGpuResponse*) {
    return handle(context_, *call, Role::Operator,
                  [&](const auth::Principal&) { admin_.uncordon_gpu(*request); });
}

grpc::Status AdminService::GetStats(grpc::ServerContext* call, const v1::GetStatsRequest*,
                                    v1::Stats* reply) {
    return handle(context_, *call, Role::Viewer,
                  [&](const auth::Principal&) { admin_.get_stats(*reply); });
}

}  // namespace kaname::rpc
