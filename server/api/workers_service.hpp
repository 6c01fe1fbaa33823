// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/workers_service.grpc.pb.h"
#include "server/api/logs.hpp"
#include "server/api/specs.hpp"

namespace kaname::api {

class WorkersService final : public v1::Workers::Service {
public:
    WorkersService(Context& context, Specs& specs, Logs& logs)
        : context_(context), specs_(specs), logs_(logs) {}

    grpc::Status Register(grpc::ServerContext* call, const v1::RegisterRequest* request,
                          v1::RegisterResponse* reply) override;
    grpc::Status Leave(grpc::ServerContext* call, const v1::LeaveRequest* request,
                       google::protobuf::Empty* reply) override;
    grpc::Status Claim(grpc::ServerContext* call, const v1::ClaimRequest* request,
                       v1::ClaimResponse* reply) override;
    grpc::Status Heartbeat(grpc::ServerContext* call, const v1::HeartbeatRequest* request,
                           v1::HeartbeatResponse* reply) override;
    grpc::Status Complete(grpc::ServerContext* call, const v1::CompleteRequest* request,
                          v1::CompleteResponse* reply) override;
    grpc::Status Fail(grpc::ServerContext* call, const v1::FailRequest* request,
                      google::protobuf::Empty* reply) override;
    grpc::Status ReturnTasks(grpc::ServerContext* call, const v1::ReturnTasksRequest* request,
                             google::protobuf::Empty* reply) override;
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
                        google::protobuf::Empty* reply) override;

private:
    std::vector<store::ClaimedTask> claim_for_somebody(const v1::ClaimRequest& request);
    /// Fails the tasks, and returns false, when something that they need is lost: the file is
    /// named, and forgotten where a retry can make it again.
    bool describe_or_fail(const std::string& worker_id,
                          const std::vector<store::ClaimedTask>& tasks, v1::ClaimResponse& reply);
    /// Throws NotFound or InvalidArgument naming what is lost.
    void describe(const std::string& worker_id, const std::vector<store::ClaimedTask>& tasks,
                  v1::ClaimResponse& reply);
    void offer_checkpoints(const std::vector<store::ClaimedTask>& tasks, v1::ClaimResponse& reply);
    /// An attempt ended: its owner is charged, and its progress is told no more.
    void end(store::Held task);

    Context& context_;
    Specs& specs_;
    Logs& logs_;
};

}  // namespace kaname::api
