// SPDX-License-Identifier: BSD-3-Clause
#include "server/grpc/user_services.hpp"

#include "server/grpc/call.hpp"
#include "server/grpc/waiting_call.hpp"

namespace kaname::rpc {

using auth::Role;

grpc::Status CampaignsService::CreateCampaign(grpc::ServerContext* call,
                                              grpc::ServerReader<v1::CreateCampaignRequest>* reader,
                                              v1::Campaign* reply) {
    return handle(
        context_, *call, Role::User,
        [&](const auth::Principal& caller, service::Limits::Place& place) {
            campaigns_.create(reads(*reader, place), caller, *reply);
        },
        &service::kUploads);
}

grpc::Status CampaignsService::ExtendCampaign(grpc::ServerContext* call,
                                              grpc::ServerReader<v1::CreateCampaignRequest>* reader,
                                              v1::Campaign* reply) {
    return handle(
        context_, *call, Role::User,
        [&](const auth::Principal& caller, service::Limits::Place& place) {
            campaigns_.extend(reads(*reader, place), caller, *reply);
        },
        &service::kUploads);
}

grpc::Status CampaignsService::GetCampaign(grpc::ServerContext* call,
                                           const v1::GetCampaignRequest* request,
                                           v1::Campaign* reply) {
    return handle(context_, *call, Role::Viewer,
                  [&](const auth::Principal&) { campaigns_.get(*request, *reply); });
}

grpc::Status CampaignsService::ListCampaigns(grpc::ServerContext* call,
                                             const v1::ListCampaignsRequest* request,
                                             v1::ListCampaignsResponse* reply) {
    return handle(context_, *call, Role::Viewer,
                  [&](const auth::Principal&) { campaigns_.list(*request, *reply); });
}

grpc::Status CampaignsService::ListMembers(grpc::ServerContext* call,
                                           const v1::ListMembersRequest* request,
                                           v1::ListMembersResponse* reply) {
    return handle(context_, *call, Role::Viewer,
                  [&](const auth::Principal&) { campaigns_.list_members(*request, *reply); });
}

grpc::ServerWriteReactor<v1::Campaign>* CampaignsService::WatchCampaign(
    grpc::CallbackServerContext* call, const v1::GetCampaignRequest* request) {
    return stream<v1::Campaign>(
        {host_, host_.watches, *call, Role::Viewer, &service::kWaitingStreams,
         [this, request](const auth::Principal&) { return campaigns_.watch(*request); }});
}

grpc::Status CampaignsService::PauseCampaign(grpc::ServerContext* call,
                                             const v1::ChangeCampaignRequest* request,
                                             v1::Campaign* reply) {
    return handle(context_, *call, Role::User, [&](const auth::Principal& caller) {
        campaigns_.pause(*request, caller, *reply);
    });
}

grpc::Status CampaignsService::ResumeCampaign(grpc::ServerContext* call,
                                              const v1::ChangeCampaignRequest* request,
                                              v1::Campaign* reply) {
    return handle(context_, *call, Role::User, [&](const auth::Principal& caller) {
        campaigns_.resume(*request, caller, *reply);
    });
}

grpc::Status CampaignsService::CancelCampaign(grpc::ServerContext* call,
                                              const v1::ChangeCampaignRequest* request,
                                              v1::Campaign* reply) {
    return handle(context_, *call, Role::User, [&](const auth::Principal& caller) {
        campaigns_.cancel(*request, caller, *reply);
    });
}

grpc::Status CampaignsService::RetryCampaign(grpc::ServerContext* call,
                                             const v1::ChangeCampaignRequest* request,
                                             v1::Campaign* reply) {
    return handle(context_, *call, Role::User, [&](const auth::Principal& caller) {
        campaigns_.retry(*request, caller, *reply);
    });
}

grpc::Status CampaignsService::SetCampaignLimits(grpc::ServerContext* call,
                                                 const v1::SetCampaignLimitsRequest* request,
                                                 v1::Campaign* reply) {
    return handle(context_, *call, Role::User, [&](const auth::Principal& caller) {
        campaigns_.set_limits(*request, caller, *reply);
    });
}

grpc::Status CampaignsService::DeleteCampaign(grpc::ServerContext* call,
                                              const v1::DeleteCampaignRequest* request,
                                              google::protobuf::Empty*) {
    return handle(context_, *call, Role::User,
                  [&](const auth::Principal& caller) { campaigns_.remove(*request, caller); });
}

using auth::Role;

grpc::Status DatasetsService::ListDatasets(grpc::ServerContext* call,
                                           const v1::ListDatasetsRequest* request,
                                           v1::ListDatasetsResponse* reply) {
    return handle(context_, *call, Role::Viewer,
                  [&](const auth::Principal&) { datasets_.list_datasets(*request, *reply); });
}

grpc::Status DatasetsService::GetDataset(grpc::ServerContext* call,
                                         const v1::GetDatasetRequest* request, v1::Dataset* reply) {
    return handle(context_, *call, Role::Viewer, [&](const auth::Principal& caller) {
        datasets_.get_dataset(*request, *reply, gone(*call, caller));
    });
}

grpc::Status DatasetsService::UpdateDataset(grpc::ServerContext* call,
                                            const v1::UpdateDatasetRequest* request,
                                            v1::Dataset* reply) {
    return handle(context_, *call, Role::User, [&](const auth::Principal& caller) {
        datasets_.update_dataset(*request, caller, *reply);
    });
}

grpc::Status DatasetsService::DeleteDataset(grpc::ServerContext* call,
                                            const v1::DeleteDatasetRequest* request,
                                            v1::Dataset* reply) {
    return handle(context_, *call, Role::User, [&](const auth::Principal& caller) {
        datasets_.delete_dataset(*request, caller, *reply);
    });
}

grpc::Status DatasetsService::RetainDatasets(grpc::ServerContext* call,
                                             const v1::RetainDatasetsRequest* request,
                                             v1::RetainDatasetsResponse* reply) {
    return handle(context_, *call, Role::Operator, [&](const auth::Principal& caller) {
        datasets_.retain_datasets(*request, caller, *reply, gone(*call, caller));
    });
}

using auth::Role;

grpc::Status GreensService::SubmitBatch(grpc::ServerContext* call,
                                        grpc::ServerReader<v1::SubmitBatchRequest>* reader,
                                        v1::Job* reply) {
    return handle(
        context_, *call, Role::User,
        [&](const auth::Principal& principal, service::Limits::Place& place) {
            greens_.submit_batch(reads(*reader, place), principal, *reply, gone(*call, principal),
                                 traceparent_of(*call));
        },
        &service::kUploads);
}

grpc::ServerWriteReactor<v1::GreensResult>* GreensService::StreamResults(
    grpc::CallbackServerContext* call, const v1::StreamResultsRequest* request) {
    return stream<v1::GreensResult>(
        {host_, host_.results, *call, Role::Viewer, &service::kResultStreams,
         [this, request](const auth::Principal&) { return greens_.stream_results(*request); }});
}

grpc::ServerWriteReactor<v1::AnswerResult>* GreensService::Answer(
    grpc::CallbackServerContext* call, const v1::AnswerRequest* request) {
    return stream<v1::AnswerResult>({host_, host_.slices, *call, Role::Viewer, &service::kAnswers,
                                     [=, this](const auth::Principal& caller) {
                                         return greens_.answer(*request, gone(*call, caller));
                                     }});
}

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
