// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/campaigns_service.grpc.pb.h"
#include "server/grpc/host.hpp"
#include "server/service/campaigns.hpp"

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

}  // namespace kaname::rpc
