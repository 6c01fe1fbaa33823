// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/campaigns/campaign_views.hpp"

#include "proto/spec/form/json.hpp"
#include "server/service/views.hpp"

namespace kaname::service {
namespace {

template <class Message>
Message kept(const std::string& text, const char* what) {
    Message message;
    spec::from_json(text, what, message);
    return message;
}

v1::Campaign::State campaign_state(store::CampaignState state) {
    switch (state) {
        case store::CampaignState::Active:
            return v1::Campaign::ACTIVE;
        case store::CampaignState::Paused:
            return v1::Campaign::PAUSED;
        case store::CampaignState::Done:
            return v1::Campaign::DONE;
        case store::CampaignState::Failed:
            return v1::Campaign::FAILED;
        case store::CampaignState::Cancelled:
            return v1::Campaign::CANCELLED;
    }
    return v1::Campaign::STATE_UNSPECIFIED;
}

v1::CampaignMember::State member_state(store::MemberState state) {
    switch (state) {
        case store::MemberState::Waiting:
            return v1::CampaignMember::WAITING;
        case store::MemberState::Active:
            return v1::CampaignMember::ACTIVE;
        case store::MemberState::Done:
            return v1::CampaignMember::DONE;
        case store::MemberState::Failed:
            return v1::CampaignMember::FAILED;
        case store::MemberState::Cancelled:
            return v1::CampaignMember::CANCELLED;
        case store::MemberState::Refused:
            return v1::CampaignMember::REFUSED;
    }
    return v1::CampaignMember::STATE_UNSPECIFIED;
}

/// Returns the reason why a campaign waits, or the work that still goes on for it.
std::string reason_of_campaign(const store::Campaign& campaign, bool waits) {
    if (campaign.work == "delete" || (campaign.work == "cancel" && waits)) {
        return "being " + std::string(campaign.work == "delete" ? "deleted" : "cancelled") +
               ": the server goes on by itself";
    }
    if (campaign.state == store::CampaignState::Paused && waits) {
        return campaign.work.empty() ? "paused" : "being paused: the server goes on by itself";
    }
    return campaign.work == "lift" ? "being resumed: the server goes on by itself"
                                   : campaign.reason;
}

}  // namespace

std::string text_of(const google::protobuf::RepeatedPtrField<v1::CampaignAxis>& axes) {
    v1::Campaign holder;
    *holder.mutable_axes() = axes;
    return spec::to_json(holder);
}

std::string text_of(const v1::CampaignCost& cost) {
    return spec::to_json(cost);
}

std::string text_of(const google::protobuf::RepeatedPtrField<std::string>& values) {
    v1::CampaignMember holder;
    *holder.mutable_values() = values;
    return spec::to_json(holder);
}

v1::Campaign to_message(const store::Campaign& campaign) {
    v1::Campaign message = kept<v1::Campaign>(campaign.axes, "axes of a campaign");
    message.set_name("campaigns/" + campaign.campaign_id);
    message.set_title(campaign.title);
    message.set_owner(campaign.owner);
    message.set_state(campaign_state(campaign.state));
    message.set_priority(campaign.priority);
    message.mutable_limits()->set_tasks_at_once(campaign.limits.tasks_at_once);
    message.mutable_limits()->set_hours(campaign.limits.hours);
    message.mutable_limits()->set_bytes(campaign.limits.bytes);
    v1::CampaignCounts& members = *message.mutable_members();
    members.set_total(campaign.n_total);
    members.set_waiting(campaign.n_waiting);
    members.set_active(campaign.n_active);
    members.set_done(campaign.n_done);
    members.set_failed(campaign.n_failed);
    members.set_cancelled(campaign.n_cancelled);
    members.set_refused(campaign.n_refused);
    v1::JobCounts& sources = *message.mutable_sources();
    sources.set_sources(campaign.n_sources);
    sources.set_done(campaign.n_sources_done);
    sources.set_failed(campaign.n_sources_failed);
    sources.set_live(campaign.n_sources_live);
    sources.set_cancelled(campaign.n_sources - campaign.n_sources_done - campaign.n_sources_failed -
                          campaign.n_sources_live);
    sources.set_reused(campaign.n_sources_reused);
    message.set_created_s(campaign.created_s);
    message.set_ended_s(campaign.ended_s);
    message.set_etag(etag_of(campaign));
    const bool waits = campaign.n_waiting > 0 || campaign.n_active > 0;
    message.set_reason(reason_of_campaign(campaign, waits));
    *message.mutable_cost() = kept<v1::CampaignCost>(campaign.cost, "cost of a campaign");
    return message;
}

v1::CampaignMember to_message(const Context& context, const store::CampaignMember& member) {
    v1::CampaignMember message = kept<v1::CampaignMember>(member.values, "values of a member");
    message.set_ordinal(member.ordinal);
    message.set_label(member.label);
    message.set_state(member_state(member.state));
    message.set_error(member.error);
    if (member.job_id.empty()) {
        return message;
    }
    message.set_job("jobs/" + member.job_id);
    *message.mutable_counts() = to_message(member.job).counts();
    if (!member.sha256.empty() && context.artifacts.exists(member.sha256)) {
        *message.mutable_dataset() =
            dataset_message(member.job, member.sha256, member.bytes, member.n_missing);
    }
    return message;
}

}  // namespace kaname::service
