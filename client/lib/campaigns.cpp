// SPDX-License-Identifier: BSD-3-Clause
#include "client/lib/calls.hpp"
#include "solvers/base/checksums.hpp"

// Campaigns: many requests under one name.
namespace kaname::client {
namespace {

using std::chrono::seconds;
using CampaignsStub = v1::Campaigns::Stub;
using Change = grpc::Status (CampaignsStub::*)(grpc::ClientContext*,
                                               const v1::ChangeCampaignRequest&, v1::Campaign*);

constexpr seconds kAccept{600};
constexpr std::size_t kMessage = 1U << 20U;

std::string full_name(const std::string& id) {
    return "campaigns/" + id;
}

v1::Campaign change(Client::Parts& parts, const char* call, Change method, const std::string& id) {
    v1::ChangeCampaignRequest request;
    request.set_name(full_name(id));
    v1::Campaign campaign;
    parts.unary(call, *parts.campaigns, method, request, campaign);
    return campaign;
}

/// Members in messages of at most kMessage bytes, or one member; false when the stream broke.
template <class Writer>
bool write_members(Writer& writer, const std::vector<v1::CampaignMember>& members) {
    v1::CreateCampaignRequest part;
    std::size_t bytes = 0;
    const auto send = [&] {
        const bool open = writer.Write(part);
        part.Clear();
        bytes = 0;
        return open;
    };
    for (const v1::CampaignMember& member : members) {
        constexpr std::size_t kFraming = 16;
        const std::size_t more = member.ByteSizeLong() + kFraming;
        if (bytes > 0 && bytes + more > kMessage && !send()) {
            return false;
        }
        *part.mutable_members()->add_members() = member;
        bytes += more;
    }
    return bytes == 0 || send();
}

std::string hash_of_labels(const std::vector<v1::CampaignMember>& members) {
    std::string labels;
    for (const v1::CampaignMember& member : members) {
        labels += member.label() + '\n';
    }
    return sha256_hex(labels);
}

}  // namespace

v1::Campaign Client::send_campaign(const v1::CreateCampaignRequest::Header& header,
                                   const std::vector<v1::CampaignMember>& members) {
    const bool extends = !header.campaign().empty();
    v1::Campaign campaign;
    parts_->insist([&] {
        Parts::Call call(*parts_, kAccept);
        const auto writer = extends ? parts_->campaigns->ExtendCampaign(&call, &campaign)
                                    : parts_->campaigns->CreateCampaign(&call, &campaign);
        v1::CreateCampaignRequest part;
        *part.mutable_header() = header;
        bool open = writer->Write(part) && write_members(*writer, members);
        part.mutable_commit()->set_members(static_cast<std::int64_t>(members.size()));
        part.mutable_commit()->set_sha256(hash_of_labels(members));
        open = open && writer->Write(part);
        writer->WritesDone();
        parts_->check(writer->Finish(), extends ? "ExtendCampaign" : "CreateCampaign");
    });
    return campaign;
}

v1::Campaign Client::get_campaign(const std::string& id) {
    v1::GetCampaignRequest request;
    request.set_name(full_name(id));
    v1::Campaign campaign;
    parts_->unary("GetCampaign", *parts_->campaigns, &CampaignsStub::GetCampaign, request,
                  campaign);
    return campaign;
}

v1::ListCampaignsResponse Client::list_campaigns(const std::string& filter, int page_size,
                                                 const std::string& page_token) {
    v1::ListCampaignsRequest request;
    request.set_filter(filter);
    request.set_page_size(page_size);
    request.set_page_token(page_token);
    v1::ListCampaignsResponse reply;
    parts_->unary("ListCampaigns", *parts_->campaigns, &CampaignsStub::ListCampaigns, request,
                  reply);
    return reply;
}

std::vector<v1::CampaignMember> Client::list_members(const std::string& id,
                                                     const std::string& filter) {
    constexpr int kPage = 1000;
    v1::ListMembersRequest request;
    request.set_campaign(full_name(id));
    request.set_page_size(kPage);
    request.set_filter(filter);
    std::vector<v1::CampaignMember> members;
    do {
        v1::ListMembersResponse reply;
        parts_->unary("ListMembers", *parts_->campaigns, &CampaignsStub::ListMembers, request,
                      reply);
        members.insert(members.end(), reply.members().begin(), reply.members().end());
        request.set_page_token(reply.next_page_token());
    } while (!request.page_token().empty());
    return members;
}

void Client::watch_campaign(const std::string& id,
                            const std::function<void(const v1::Campaign&)>& on_change) {
    v1::GetCampaignRequest request;
    request.set_name(full_name(id));
    resume(*parts_, [&] {
        Parts::Call call(*parts_, kStream);
        const auto reader = parts_->campaigns->WatchCampaign(&call, request);
        v1::Campaign campaign;
        bool any = false;
        while (reader->Read(&campaign)) {
            any = true;
            on_change(campaign);
        }
        parts_->check(reader->Finish(), "WatchCampaign");
        return any;
    });
}

v1::Campaign Client::pause_campaign(const std::string& id) {
    return change(*parts_, "PauseCampaign", &CampaignsStub::PauseCampaign, id);
}

v1::Campaign Client::resume_campaign(const std::string& id) {
    return change(*parts_, "ResumeCampaign", &CampaignsStub::ResumeCampaign, id);
}

v1::Campaign Client::cancel_campaign(const std::string& id) {
    return change(*parts_, "CancelCampaign", &CampaignsStub::CancelCampaign, id);
}

v1::Campaign Client::retry_campaign(const std::string& id) {
    return change(*parts_, "RetryCampaign", &CampaignsStub::RetryCampaign, id);
}

v1::Campaign Client::set_campaign_limits(const std::string& id, const v1::CampaignLimits& limits) {
    v1::SetCampaignLimitsRequest request;
    request.set_name(full_name(id));
    *request.mutable_limits() = limits;
    v1::Campaign campaign;
    parts_->unary("SetCampaignLimits", *parts_->campaigns, &CampaignsStub::SetCampaignLimits,
                  request, campaign);
    return campaign;
}

void Client::delete_campaign(const std::string& id, const std::string& etag, bool jobs) {
    v1::DeleteCampaignRequest request;
    request.set_name(full_name(id));
    request.set_etag(etag);
    request.set_jobs(jobs);
    google::protobuf::Empty reply;
    parts_->unary("DeleteCampaign", *parts_->campaigns, &CampaignsStub::DeleteCampaign, request,
                  reply);
}

// Datasets: found, tagged, deleted.
namespace {

using std::chrono::seconds;
using DatasetsStub = v1::Datasets::Stub;

constexpr seconds kRetain{600};

}  // namespace

v1::ListDatasetsResponse Client::list_datasets(const v1::ListDatasetsRequest& request) {
    v1::ListDatasetsResponse reply;
    parts_->unary("ListDatasets", *parts_->datasets, &DatasetsStub::ListDatasets, request, reply);
    return reply;
}

v1::Dataset Client::update_dataset(const v1::UpdateDatasetRequest& request) {
    v1::Dataset reply;
    parts_->unary("UpdateDataset", *parts_->datasets, &DatasetsStub::UpdateDataset, request, reply);
    return reply;
}

v1::Dataset Client::delete_dataset(const v1::DeleteDatasetRequest& request) {
    v1::Dataset reply;
    parts_->unary("DeleteDataset", *parts_->datasets, &DatasetsStub::DeleteDataset, request, reply);
    return reply;
}

v1::RetainDatasetsResponse Client::retain_datasets(const v1::RetainDatasetsRequest& request) {
    Parts::Call call(*parts_, kRetain);
    v1::RetainDatasetsResponse reply;
    parts_->check(parts_->datasets->RetainDatasets(&call, request, &reply), "RetainDatasets");
    return reply;
}

}  // namespace kaname::client
