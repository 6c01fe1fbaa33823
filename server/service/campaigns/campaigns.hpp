// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <string>

#include "proto/kaname/v1/campaign.pb.h"
#include "proto/kaname/v1/campaigns_service.pb.h"
#include "server/service/context.hpp"
#include "server/service/stream/calls.hpp"

namespace kaname::service {

[[nodiscard]] v1::Campaign to_message(const store::Campaign& campaign);
/// With its dataset, where that is stored.
[[nodiscard]] v1::CampaignMember to_message(const Context& context,
                                            const store::CampaignMember& member);

/// Messages as the store keeps them.
[[nodiscard]] std::string text_of(const google::protobuf::RepeatedPtrField<v1::CampaignAxis>& axes);
[[nodiscard]] std::string text_of(const v1::CampaignCost& cost);
[[nodiscard]] std::string text_of(const google::protobuf::RepeatedPtrField<std::string>& values);

/// Campaigns: created, extended, looked at, changed. A CampaignDriver makes jobs of their members.
class Campaigns {
public:
    explicit Campaigns(Context& context) : context_(context) {}

    void create(const Read<v1::CreateCampaignRequest>& read, const auth::Principal& caller,
                v1::Campaign& reply);
    void extend(const Read<v1::CreateCampaignRequest>& read, const auth::Principal& caller,
                v1::Campaign& reply);
    void get(const v1::GetCampaignRequest& request, v1::Campaign& reply);
    void list(const v1::ListCampaignsRequest& request, v1::ListCampaignsResponse& reply);
    void list_members(const v1::ListMembersRequest& request, v1::ListMembersResponse& reply);
    [[nodiscard]] Answers<v1::Campaign> watch(v1::GetCampaignRequest request);

    /// All that follow are for the campaign's owner, and for operators; delete for admins.
    void pause(const v1::ChangeCampaignRequest& request, const auth::Principal& caller,
               v1::Campaign& reply);
    void resume(const v1::ChangeCampaignRequest& request, const auth::Principal& caller,
                v1::Campaign& reply);
    void cancel(const v1::ChangeCampaignRequest& request, const auth::Principal& caller,
                v1::Campaign& reply);
    void retry(const v1::ChangeCampaignRequest& request, const auth::Principal& caller,
               v1::Campaign& reply);
    void set_limits(const v1::SetCampaignLimitsRequest& request, const auth::Principal& caller,
                    v1::Campaign& reply);
    void remove(const v1::DeleteCampaignRequest& request, const auth::Principal& caller);

private:
    /// Throws NotFound, or Refusal naming the owner and the role of `others`.
    store::Campaign check_owner(const auth::Principal& caller, const std::string& campaign_id,
                                auth::Role others, const std::string& verb);
    using Change = std::function<void(const std::string& campaign_id)>;
    void change(const v1::ChangeCampaignRequest& request, const auth::Principal& caller,
                const char* verb, const Change& how, v1::Campaign& reply);
    void answer(const std::string& campaign_id, v1::Campaign& reply);
    /// A server that ends leaves the rest to the next one.

    Context& context_;
};

/// A campaign, or what is added to one, as it came over the wire.
struct CampaignIntake {
    v1::CreateCampaignRequest::Header header;
    store::NewCampaign campaign;  ///< members, files, cost; without an owner
};

/// Reads a header, members and a commit, and checks all of it: labels, values, limits against the
/// cost, and each request with its files, on all threads. Throws ValidationError with what is
/// wrong, of a request with the member before the field, Exhausted beyond kMaxMembers or
/// kMaxMemberBytes.
[[nodiscard]] CampaignIntake receive_campaign(const Context& context,
                                              const Read<v1::CreateCampaignRequest>& read);

/// Throws ValidationError naming the limit that the planned cost is beyond, with both figures.
void check_limits(const v1::CampaignLimits& limits, const v1::CampaignCost& cost);

}  // namespace kaname::service
