// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/jobs_service.grpc.pb.h"
#include "server/grpc/host.hpp"
#include "server/service/jobs.hpp"

namespace kaname::rpc {

/// The calls that wait are of the callback API.
using JobsBase =
    v1::Jobs::WithCallbackMethod_WatchJob<v1::Jobs::WithCallbackMethod_TailLogs<v1::Jobs::Service>>;

class JobsService final : public JobsBase {
public:
    JobsService(Host& host, service::Jobs& jobs)
        : host_(host), context_(host.context), jobs_(jobs) {}

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
    grpc::ServerWriteReactor<v1::JobUpdate>* WatchJob(grpc::CallbackServerContext* call,
                                                      const v1::WatchJobRequest* request) override;
    grpc::ServerWriteReactor<v1::LogChunk>* TailLogs(grpc::CallbackServerContext* call,
                                                     const v1::TailLogsRequest* request) override;

private:
    Host& host_;
    service::Context& context_;
    service::Jobs& jobs_;
};

}  // namespace kaname::rpc
