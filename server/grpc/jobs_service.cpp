// SPDX-License-Identifier: BSD-3-Clause
#include "server/grpc/jobs_service.hpp"

#include "server/grpc/waiting_call.hpp"

namespace kaname::rpc {

using auth::Role;

grpc::Status JobsService::CreateJob(grpc::ServerContext* call, const v1::CreateJobRequest* request,
                                    v1::Job* reply) {
    return handle(context_, *call, Role::User, [&](const auth::Principal& principal) {
        jobs_.create_job(*request, principal, *reply, gone(*call, principal),
                         traceparent_of(*call));
    });
}

grpc::Status JobsService::GetJob(grpc::ServerContext* call, const v1::GetJobRequest* request,
                                 v1::Job* reply) {
    return handle(context_, *call, Role::Viewer,
                  [&](const auth::Principal&) { jobs_.get_job(*request, *reply); });
}

grpc::Status JobsService::ListJobs(grpc::ServerContext* call, const v1::ListJobsRequest* request,
                                   v1::ListJobsResponse* reply) {
    return handle(context_, *call, Role::Viewer,
                  [&](const auth::Principal&) { jobs_.list_jobs(*request, *reply); });
}

grpc::Status JobsService::ListItems(grpc::ServerContext* call, const v1::ListItemsRequest* request,
                                    v1::ListItemsResponse* reply) {
    return handle(context_, *call, Role::Viewer,
                  [&](const auth::Principal&) { jobs_.list_items(*request, *reply); });
}

grpc::Status JobsService::CancelJob(grpc::ServerContext* call, const v1::CancelJobRequest* request,
                                    v1::Job* reply) {
    return handle(context_, *call, Role::User, [&](const auth::Principal& caller) {
        jobs_.cancel_job(*request, caller, *reply);
    });
}

grpc::Status JobsService::RetryJob(grpc::ServerContext* call, const v1::RetryJobRequest* request,
                                   v1::Job* reply) {
    return handle(context_, *call, Role::User, [&](const auth::Principal& caller) {
        jobs_.retry_job(*request, caller, *reply);
    });
}

grpc::Status JobsService::DeleteJob(grpc::ServerContext* call, const v1::DeleteJobRequest* request,
                                    google::protobuf::Empty*) {
    return handle(context_, *call, Role::User,
                  [&](const auth::Principal& caller) { jobs_.delete_job(*request, caller); });
}

grpc::ServerWriteReactor<v1::JobUpdate>* JobsService::WatchJob(grpc::CallbackServerContext* call,
                                                               const v1::WatchJobRequest* request) {
    return stream<v1::JobUpdate>(
        {host_, host_.watches, *call, Role::Viewer, &service::kWaitingStreams,
         [this, request](const auth::Principal&) { return jobs_.watch_job(*request); }});
}

grpc::ServerWriteReactor<v1::LogChunk>* JobsService::TailLogs(grpc::CallbackServerContext* call,
                                                              const v1::TailLogsRequest* request) {
    return stream<v1::LogChunk>(
        {host_, host_.watches, *call, Role::Viewer, &service::kWaitingStreams,
         [this, request](const auth::Principal&) { return jobs_.tail_logs(*request); }});
}

}  // namespace kaname::rpc
