// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/admin_service.grpc.pb.h"
#include "server/api/context.hpp"

namespace kaname::api {

class AdminService final : public v1::Admin::Service {
public:
    explicit AdminService(Context& context) : context_(context) {}

    grpc::Status ListWorkers(grpc::ServerContext* call, const v1::ListWorkersRequest* request,
                             v1::ListWorkersResponse* reply) override;
    grpc::Status DrainWorker(grpc::ServerContext* call, const v1::DrainWorkerRequest* request,
                             v1::Worker* reply) override;
    grpc::Status UncordonGpu(grpc::ServerContext* call, const v1::UncordonGpuRequest* request,
                             v1::UncordonGpuResponse* reply) override;
    grpc::Status GetStats(grpc::ServerContext* call, const v1::GetStatsRequest* request,
                          v1::Stats* reply) override;

private:
    Context& context_;
};

}  // namespace kaname::api
