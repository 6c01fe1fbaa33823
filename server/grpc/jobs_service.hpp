// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/jobs_service.grpc.pb.h"
#include "server/service/jobs.hpp"

namespace kaname::rpc {

class JobsService final : public v1::Jobs::Service {
public:
    JobsService(service::Context& context, service::Jobs& jobs) : context_(context), jobs_(jobs) {}

    grpc::Status CreateJob(grpc::ServerContext* call, const v1::CreateJobRequest* request,
                           v1::Job* reply) override;
    grpc::Status GetJob(grpc::ServerContext* call, const v1::GetJobRequest* request,
                        v1::Job* reply) override;
    grpc::Status ListJobs(grpc::ServerContext* call, const v1::ListJobsRequest* request,
                          v1::ListJobsResponse* reply) override;
    grpc::Status ListItems(grpc::ServerContext* call, const v1::ListItemsRequest* request,
                           v1::ListItemsResponse* reply) override;
    grpc::Status CancelJob(grpc::ServerContext* call, const v1::CancelJobRequest* request,
                           v1::Job* reply) override;
    grpc::Status RetryJob(grpc::ServerContext* call, const v1::RetryJobRequest* request,
                          v1::Job* reply) override;
    grpc::Status DeleteJob(grpc::ServerContext* call, const v1::DeleteJobRequest* request,
                           google::protobuf::Empty*) override;
    grpc::Status WatchJob(grpc::ServerContext* call, const v1::WatchJobRequest* request,
                          grpc::ServerWriter<v1::JobUpdate>* writer) override;
    grpc::Status TailLogs(grpc::ServerContext* call, const v1::TailLogsRequest* request,
                          grpc::ServerWriter<v1::LogChunk>* writer) override;

private:
    service::Context& context_;
    service::Jobs& jobs_;
};

}  // namespace kaname::rpc
