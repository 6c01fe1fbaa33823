// SPDX-License-Identifier: BSD-3-Clause
#include "server/grpc/admin_service.hpp"

#include "server/grpc/call.hpp"

namespace kaname::rpc {

using auth::Role;

grpc::Status AdminService::ListWorkers(grpc::ServerContext* call,
                                       const v1::ListWorkersRequest* request,
                                       v1::ListWorkersResponse* reply) {
    return handle(context_, *call, Role::Viewer,
                  [&](const auth::Principal&) { admin_.list_workers(*request, *reply); });
}

grpc::Status AdminService::DrainWorker(grpc::ServerContext* call,
                                       const v1::DrainWorkerRequest* request, v1::Worker* reply) {
    return handle(context_, *call, Role::Operator, [&](const auth::Principal& caller) {
        admin_.drain_worker(*request, caller, *reply);
    });
}

grpc::Status AdminService::SetDrain(grpc::ServerContext* call, const v1::SetDrainRequest* request,
                                    v1::SetDrainResponse*) {
    return handle(context_, *call, Role::Operator,
                  [&](const auth::Principal& caller) { admin_.set_drain(*request, caller); });
}

grpc::Status AdminService::ListDrains(grpc::ServerContext* call,
                                      const v1::ListDrainsRequest* request,
                                      v1::ListDrainsResponse* reply) {
    return handle(context_, *call, Role::Viewer,
                  [&](const auth::Principal&) { admin_.list_drains(*request, *reply); });
}

grpc::Status AdminService::SetQuota(grpc::ServerContext* call, const v1::SetQuotaRequest* request,
                                    v1::Quota* reply) {
    return handle(context_, *call, Role::Operator, [&](const auth::Principal& caller) {
        admin_.set_quota(*request, caller, *reply);
    });
}

grpc::Status AdminService::ListQuotas(grpc::ServerContext* call,
                                      const v1::ListQuotasRequest* request,
                                      v1::ListQuotasResponse* reply) {
    return handle(context_, *call, Role::Viewer,
                  [&](const auth::Principal&) { admin_.list_quotas(*request, *reply); });
}

grpc::Status AdminService::UncordonGpu(grpc::ServerContext* call,
                                       const v1::UncordonGpuRequest* request,
                                       v1::UncordonGpuResponse*) {
    return handle(context_, *call, Role::Operator,
                  [&](const auth::Principal& caller) { admin_.uncordon_gpu(*request, caller); });
}

grpc::Status AdminService::SetCordon(grpc::ServerContext* call, const v1::SetCordonRequest* request,
                                     v1::SetCordonResponse*) {
    return handle(context_, *call, Role::Operator,
                  [&](const auth::Principal& caller) { admin_.set_cordon(*request, caller); });
}

grpc::Status AdminService::ListCordons(grpc::ServerContext* call,
                                       const v1::ListCordonsRequest* request,
                                       v1::ListCordonsResponse* reply) {
    return handle(context_, *call, Role::Viewer,
                  [&](const auth::Principal&) { admin_.list_cordons(*request, *reply); });
}

grpc::Status AdminService::ListGpuHistory(grpc::ServerContext* call,
                                          const v1::ListGpuHistoryRequest* request,
                                          v1::ListGpuHistoryResponse* reply) {
    return handle(context_, *call, Role::Viewer,
                  [&](const auth::Principal&) { admin_.list_gpu_history(*request, *reply); });
}

grpc::Status AdminService::ListBackups(grpc::ServerContext* call,
                                       const v1::ListBackupsRequest* request,
                                       v1::ListBackupsResponse* reply) {
    return handle(context_, *call, Role::Admin,
                  [&](const auth::Principal&) { admin_.list_backups(*request, *reply); });
}

grpc::Status AdminService::GetStats(grpc::ServerContext* call, const v1::GetStatsRequest*,
                                    v1::Stats* reply) {
    return handle(context_, *call, Role::Viewer,
                  [&](const auth::Principal&) { admin_.get_stats(*reply); });
}

grpc::Status AdminService::MakeToken(grpc::ServerContext* call, const v1::MakeTokenRequest* request,
                                     v1::MakeTokenResponse* reply) {
    return handle(context_, *call, Role::Admin, [&](const auth::Principal& caller) {
        access_.make_token(*request, caller, *reply);
    });
}

grpc::Status AdminService::ListTokens(grpc::ServerContext* call,
                                      const v1::ListTokensRequest* request,
                                      v1::ListTokensResponse* reply) {
    return handle(context_, *call, Role::Admin,
                  [&](const auth::Principal&) { access_.list_tokens(*request, *reply); });
}

grpc::Status AdminService::RevokeToken(grpc::ServerContext* call,
                                       const v1::RevokeTokenRequest* request, v1::Token* reply) {
    return handle(context_, *call, Role::Admin, [&](const auth::Principal& caller) {
        access_.revoke_token(*request, caller, *reply);
    });
}

grpc::Status AdminService::MakeLoginCode(grpc::ServerContext* call, const v1::MakeLoginCodeRequest*,
                                         v1::MakeLoginCodeResponse* reply) {
    return handle(context_, *call, Role::Viewer, [&](const auth::Principal& caller) {
        access_.make_login_code(caller, token_of(*call), *reply);
    });
}

grpc::Status AdminService::CollectGarbage(grpc::ServerContext* call,
                                          const v1::CollectGarbageRequest* request,
                                          v1::CollectGarbageResponse* reply) {
    return handle(context_, *call, Role::Admin, [&](const auth::Principal& caller) {
        admin_.collect_garbage(*request, caller, *reply);
    });
}

grpc::Status AdminService::ListAuditEvents(grpc::ServerContext* call,
                                           const v1::ListAuditEventsRequest* request,
                                           v1::ListAuditEventsResponse* reply) {
    return handle(context_, *call, Role::Admin,
                  [&](const auth::Principal&) { access_.list_audit_events(*request, *reply); });
}

}  // namespace kaname::rpc
