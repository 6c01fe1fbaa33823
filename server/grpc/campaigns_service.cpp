// SPDX-License-Identifier: BSD-3-Clause
#include "server/grpc/campaigns_service.hpp"

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

}  // namespace kaname::rpc
