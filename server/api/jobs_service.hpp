// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/jobs_service.grpc.pb.h"
#include "server/api/logs.hpp"
#include "server/api/submit.hpp"

namespace kaname::api {

class JobsService final : public v1::Jobs::Service {
public:
    JobsService(Context& context, Submitter& submitter, const Logs& logs)
        : context_(context), submitter_(submitter), logs_(logs) {}

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
                           google::protobuf::Empty* reply) override;
    grpc::Status WatchJob(grpc::ServerContext* call, const v1::WatchJobRequest* request,
                          grpc::ServerWriter<v1::JobUpdate>* writer) override;
    grpc::Status TailLogs(grpc::ServerContext* call, const v1::TailLogsRequest* request,
                          grpc::ServerWriter<v1::LogChunk>* writer) override;

private:
    [[nodiscard]] store::JobItem item_labelled(const std::string& job_id, const std::string& label);

    Context& context_;
    Submitter& submitter_;
    const Logs& logs_;
};

}  // namespace kaname::api
