// SPDX-License-Identifier: BSD-3-Clause
#include "server/grpc/workers_service.hpp"

#include "server/grpc/call.hpp"

namespace kaname::rpc {

using auth::Role;

grpc::Status WorkersService::Register(grpc::ServerContext* call, const v1::RegisterRequest* request,
                                      v1::RegisterResponse* reply) {
    return handle(context_, *call, Role::Worker, [&](const auth::Principal& caller) {
        workers_.register_worker(*request, caller, *reply);
    });
}

grpc::Status WorkersService::Leave(grpc::ServerContext* call, const v1::LeaveRequest* request,
                                   google::protobuf::Empty*) {
    return handle(context_, *call, Role::Worker,
                  [&](const auth::Principal& caller) { workers_.leave(*request, caller); });
}

grpc::Status WorkersService::Claim(grpc::ServerContext* call, const v1::ClaimRequest* request,
                                   v1::ClaimResponse* reply) {
    return handle(context_, *call, Role::Worker, [&](const auth::Principal& caller) {
        claims_.claim(*request, caller, *reply, cancelled(*call));
    });
}

grpc::Status WorkersService::Heartbeat(grpc::ServerContext* call,
                                       const v1::HeartbeatRequest* request,
                                       v1::HeartbeatResponse* reply) {
    return handle(context_, *call, Role::Worker, [&](const auth::Principal& caller) {
        workers_.heartbeat(*request, caller, *reply);
    });
}

grpc::Status WorkersService::Complete(grpc::ServerContext* call, const v1::CompleteRequest* request,
                                      v1::CompleteResponse* reply) {
    return handle(context_, *call, Role::Worker, [&](const auth::Principal& caller) {
        reports_.complete(*request, caller, *reply);
    });
}

grpc::Status WorkersService::Fail(grpc::ServerContext* call, const v1::FailRequest* request,
                                  google::protobuf::Empty*) {
    return handle(context_, *call, Role::Worker,
                  [&](const auth::Principal& caller) { reports_.fail(*request, caller); });
}

grpc::Status WorkersService::ReturnTasks(grpc::ServerContext* call,
                                         const v1::ReturnTasksRequest* request,
                                         google::protobuf::Empty*) {
    return handle(context_, *call, Role::Worker,
                  [&](const auth::Principal& caller) { reports_.return_tasks(*request, caller); });
}

grpc::Status WorkersService::GetInput(grpc::ServerContext* call,
                                      const v1::ReadArtifactRequest* request,
                                      grpc::ServerWriter<v1::ReadArtifactResponse>* writer) {
    return handle(context_, *call, Role::Worker, [&](const auth::Principal& caller) {
        claims_.get_input(*request, caller, writes(*writer));
    });
}

grpc::Status WorkersService::GetResultUpload(grpc::ServerContext* call,
                                             const v1::GetUploadRequest* request,
                                             v1::Upload* reply) {
    return handle(context_, *call, Role::Worker, [&](const auth::Principal& caller) {
        reports_.get_result_upload(*request, caller, *reply);
    });
}

grpc::Status WorkersService::GetCheckpointUpload(grpc::ServerContext* call,
                                                 const v1::GetUploadRequest* request,
                                                 v1::Upload* reply) {
    return handle(context_, *call, Role::Worker, [&](const auth::Principal& caller) {
        reports_.get_checkpoint_upload(*request, caller, *reply);
    });
}

grpc::Status WorkersService::PutResult(grpc::ServerContext* call,
                                       grpc::ServerReader<v1::PutRequest>* reader,
                                       v1::Artifact* reply) {
    return handle(context_, *call, Role::Worker, [&](const auth::Principal& caller) {
        reports_.put_result(reads(*reader), caller, *reply);
    });
}

grpc::Status WorkersService::PutCheckpoint(grpc::ServerContext* call,
                                           grpc::ServerReader<v1::PutCheckpointRequest>* reader,
                                           v1::Artifact* reply) {
    return handle(context_, *call, Role::Worker, [&](const auth::Principal& caller) {
        reports_.put_checkpoint(reads(*reader), caller, *reply);
    });
}

grpc::Status WorkersService::PutLog(grpc::ServerContext* call, const v1::PutLogRequest* request,
                                    google::protobuf::Empty*) {
    return handle(context_, *call, Role::Worker,
                  [&](const auth::Principal& caller) { reports_.put_log(*request, caller); });
}

}  // namespace kaname::rpc
