// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <vector>

#include "proto/grpc/reflection/v1alpha/reflection.grpc.pb.h"
#include "proto/kaname/v1/admin_service.grpc.pb.h"
#include "server/service/admin/access.hpp"
#include "server/service/admin/admin.hpp"
#include "server/service/context.hpp"

namespace kaname::rpc {

class AdminService final : public v1::Admin::Service {
public:
    AdminService(service::Context& context, service::Admin& admin, service::Access& access)
        : context_(context), admin_(admin), access_(access) {}

    grpc::Status ListWorkers(grpc::ServerContext* call, const v1::ListWorkersRequest*,
                             v1::ListWorkersResponse* reply) override;
    grpc::Status DrainWorker(grpc::ServerContext* call, const v1::DrainWorkerRequest* request,
                             v1::Worker* reply) override;
    grpc::Status SetDrain(grpc::ServerContext* call, const v1::SetDrainRequest* request,
                          v1::SetDrainResponse*) override;
    grpc::Status ListDrains(grpc::ServerContext* call, const v1::ListDrainsRequest*,
                            v1::ListDrainsResponse* reply) override;
    grpc::Status SetQuota(grpc::ServerContext* call, const v1::SetQuotaRequest* request,
                          v1::Quota* reply) override;
    grpc::Status ListQuotas(grpc::ServerContext* call, const v1::ListQuotasRequest*,
                            v1::ListQuotasResponse* reply) override;
    grpc::Status UncordonGpu(grpc::ServerContext* call, const v1::UncordonGpuRequest* request,
                             v1::UncordonGpuResponse*) override;
    grpc::Status SetCordon(grpc::ServerContext* call, const v1::SetCordonRequest* request,
                           v1::SetCordonResponse*) override;
    grpc::Status ListCordons(grpc::ServerContext* call, const v1::ListCordonsRequest*,
                             v1::ListCordonsResponse* reply) override;
    grpc::Status ListGpuHistory(grpc::ServerContext* call, const v1::ListGpuHistoryRequest* request,
                                v1::ListGpuHistoryResponse* reply) override;
    grpc::Status ListBackups(grpc::ServerContext* call, const v1::ListBackupsRequest*,
                             v1::ListBackupsResponse* reply) override;
    grpc::Status GetStats(grpc::ServerContext* call, const v1::GetStatsRequest*,
                          v1::Stats* reply) override;
    grpc::Status MakeToken(grpc::ServerContext* call, const v1::MakeTokenRequest* request,
                           v1::MakeTokenResponse* reply) override;
    grpc::Status ListTokens(grpc::ServerContext* call, const v1::ListTokensRequest*,
                            v1::ListTokensResponse* reply) override;
    grpc::Status RevokeToken(grpc::ServerContext* call, const v1::RevokeTokenRequest* request,
                             v1::Token* reply) override;
    grpc::Status MakeLoginCode(grpc::ServerContext* call, const v1::MakeLoginCodeRequest*,
                               v1::MakeLoginCodeResponse* reply) override;
    grpc::Status CollectGarbage(grpc::ServerContext* call, const v1::CollectGarbageRequest* request,
                                v1::CollectGarbageResponse* reply) override;
    grpc::Status ListAuditEvents(grpc::ServerContext* call,
                                 const v1::ListAuditEventsRequest* request,
                                 v1::ListAuditEventsResponse* reply) override;

private:
    service::Context& context_;
    service::Admin& admin_;
    service::Access& access_;
};

inline constexpr const char* kReflectionV1 = "grpc.reflection.v1.ServerReflection";

/// Streams of reflection that may be open; each holds a thread of the synchronous API.
inline constexpr service::Limit kReflections{"reflection streams", 2, 2, 16};

/// Which calls there are, for grpcurl: to who may read, as any other call. The library's own
/// service asks for no token. Version v1 has the messages of v1alpha, byte for byte, so that it is
/// a second name of the same call.
class ReflectionService final : public grpc::reflection::v1alpha::ServerReflection::Service {
public:
    /// `services`: full names of those that the server has.
    ReflectionService(service::Context& context, std::vector<std::string> services);

    grpc::Status ServerReflectionInfo(
        grpc::ServerContext* call,
        grpc::ServerReaderWriter<grpc::reflection::v1alpha::ServerReflectionResponse,
                                 grpc::reflection::v1alpha::ServerReflectionRequest>* stream)
        override;

private:
    service::Context& context_;
    std::vector<std::string> services_;
};

}  // namespace kaname::rpc
