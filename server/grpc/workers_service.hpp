// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/workers_service.grpc.pb.h"
#include "server/service/claims.hpp"
#include "server/service/reports.hpp"
#include "server/service/workers.hpp"

namespace kaname::rpc {

class WorkersService final : public v1::Workers::Service {
public:
    WorkersService(service::Context& context, service::Workers& workers, service::Claims& claims,
                   service::Reports& reports)
        : context_(context), workers_(workers), claims_(claims), reports_(reports) {}

    grpc::Status Register(grpc::ServerContext* call, const v1::RegisterRequest* request,
                          v1::RegisterResponse* reply) override;
    grpc::Status Leave(grpc::ServerContext* call, const v1::LeaveRequest* request,
                       google::protobuf::Empty*) override;
    grpc::Status Claim(grpc::ServerContext* call, const v1::ClaimRequest* request,
                       v1::ClaimResponse* reply) override;
    grpc::Status Heartbeat(grpc::ServerContext* call, const v1::HeartbeatRequest* request,
                           v1::HeartbeatResponse* reply) override;
    grpc::Status Complete(grpc::ServerContext* call, const v1::CompleteRequest* request,
                          v1::CompleteResponse* reply) override;
    grpc::Status Fail(grpc::ServerContext* call, const v1::FailRequest* request,
                      google::protobuf::Empty*) override;
    grpc::Status ReturnTasks(grpc::ServerContext* call, const v1::ReturnTasksRequest* request,
                             google::protobuf::Empty*) override;
    grpc::Status GetInput(grpc::ServerContext* call, const v1::ReadArtifactRequest* request,
                          grpc::ServerWriter<v1::ReadArtifactResponse>* writer) override;
    grpc::Status GetResultUpload(grpc::ServerContext* call, const v1::GetUploadRequest* request,
                                 v1::Upload* reply) override;
    grpc::Status GetCheckpointUpload(grpc::ServerContext* call, const v1::GetUploadRequest* request,
                                     v1::Upload* reply) override;
    grpc::Status PutResult(grpc::ServerContext* call, grpc::ServerReader<v1::PutRequest>* reader,
                           v1::Artifact* reply) override;
    grpc::Status PutCheckpoint(grpc::ServerContext* call,
                               grpc::ServerReader<v1::PutCheckpointRequest>* reader,
                               v1::Artifact* reply) override;
    grpc::Status PutLog(grpc::ServerContext* call, const v1::PutLogRequest* request,
                        google::protobuf::Empty*) override;

private:
    service::Context& context_;
    service::Workers& workers_;
    service::Claims& claims_;
    service::Reports& reports_;
};

}  // namespace kaname::rpc
