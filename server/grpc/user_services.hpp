// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "proto/kaname/v1/campaigns_service.grpc.pb.h"
#include "proto/kaname/v1/datasets_service.grpc.pb.h"
#include "proto/kaname/v1/greens_service.grpc.pb.h"
#include "proto/kaname/v1/jobs_service.grpc.pb.h"
#include "server/grpc/host.hpp"
#include "server/service/campaigns/campaigns.hpp"
#include "server/service/datasets/datasets.hpp"
#include "server/service/jobs/jobs.hpp"

namespace kaname::rpc {

class CampaignsService final
    : public v1::Campaigns::WithCallbackMethod_WatchCampaign<v1::Campaigns::Service> {
public:
    CampaignsService(Host& host, service::Campaigns& campaigns)
        : host_(host), context_(host.context), campaigns_(campaigns) {}

    grpc::Status CreateCampaign(grpc::ServerContext* call,
                                grpc::ServerReader<v1::CreateCampaignRequest>* reader,
                                v1::Campaign* reply) override;
    grpc::Status ExtendCampaign(grpc::ServerContext* call,
                                grpc::ServerReader<v1::CreateCampaignRequest>* reader,
                                v1::Campaign* reply) override;
    grpc::Status GetCampaign(grpc::ServerContext* call, const v1::GetCampaignRequest* request,
                             v1::Campaign* reply) override;
    grpc::Status ListCampaigns(grpc::ServerContext* call, const v1::ListCampaignsRequest* request,
                               v1::ListCampaignsResponse* reply) override;
    grpc::Status ListMembers(grpc::ServerContext* call, const v1::ListMembersRequest* request,
                             v1::ListMembersResponse* reply) override;
    grpc::ServerWriteReactor<v1::Campaign>* WatchCampaign(
        grpc::CallbackServerContext* call, const v1::GetCampaignRequest* request) override;
    grpc::Status PauseCampaign(grpc::ServerContext* call, const v1::ChangeCampaignRequest* request,
                               v1::Campaign* reply) override;
    grpc::Status ResumeCampaign(grpc::ServerContext* call, const v1::ChangeCampaignRequest* request,
                                v1::Campaign* reply) override;
    grpc::Status CancelCampaign(grpc::ServerContext* call, const v1::ChangeCampaignRequest* request,
                                v1::Campaign* reply) override;
    grpc::Status RetryCampaign(grpc::ServerContext* call, const v1::ChangeCampaignRequest* request,
                               v1::Campaign* reply) override;
    grpc::Status SetCampaignLimits(grpc::ServerContext* call,
                                   const v1::SetCampaignLimitsRequest* request,
                                   v1::Campaign* reply) override;
    grpc::Status DeleteCampaign(grpc::ServerContext* call, const v1::DeleteCampaignRequest* request,
                                google::protobuf::Empty* reply) override;

private:
    Host& host_;
    service::Context& context_;
    service::Campaigns& campaigns_;
};

class DatasetsService final : public v1::Datasets::Service {
public:
    DatasetsService(service::Context& context, service::Datasets& datasets)
        : context_(context), datasets_(datasets) {}

    grpc::Status ListDatasets(grpc::ServerContext* call, const v1::ListDatasetsRequest* request,
                              v1::ListDatasetsResponse* reply) override;
    grpc::Status GetDataset(grpc::ServerContext* call, const v1::GetDatasetRequest* request,
                            v1::Dataset* reply) override;
    grpc::Status UpdateDataset(grpc::ServerContext* call, const v1::UpdateDatasetRequest* request,
                               v1::Dataset* reply) override;
    grpc::Status DeleteDataset(grpc::ServerContext* call, const v1::DeleteDatasetRequest* request,
                               v1::Dataset* reply) override;
    grpc::Status RetainDatasets(grpc::ServerContext* call, const v1::RetainDatasetsRequest* request,
                                v1::RetainDatasetsResponse* reply) override;

private:
    service::Context& context_;
    service::Datasets& datasets_;
};

class GreensService final : public v1::Greens::WithCallbackMethod_StreamResults<
                                v1::Greens::WithCallbackMethod_Answer<v1::Greens::Service>> {
public:
    GreensService(Host& host, service::Greens& greens)
        : host_(host), context_(host.context), greens_(greens) {}

    grpc::Status SubmitBatch(grpc::ServerContext* call,
                             grpc::ServerReader<v1::SubmitBatchRequest>* reader,
                             v1::Job* reply) override;
    grpc::ServerWriteReactor<v1::GreensResult>* StreamResults(
        grpc::CallbackServerContext* call, const v1::StreamResultsRequest* request) override;
    grpc::ServerWriteReactor<v1::AnswerResult>* Answer(grpc::CallbackServerContext* call,
                                                       const v1::AnswerRequest* request) override;

private:
    Host& host_;
    service::Context& context_;
    service::Greens& greens_;
};

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
