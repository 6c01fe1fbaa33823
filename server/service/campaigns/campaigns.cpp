// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/campaigns/campaigns.hpp"

#include <algorithm>

#include "proto/request/form/json.hpp"
#include "server/service/datasets/filter.hpp"
#include "server/service/jobs/bulk_work.hpp"
#include "server/service/stream/calls.hpp"
#include "server/service/stream/paging.hpp"
#include "server/service/views.hpp"
#include "server/store/campaign_rules.hpp"
#include "server/store/rules.hpp"

namespace kaname::service {
namespace {

template <class Message>
Message kept(const std::string& text, const char* what) {
    Message message;
    request::from_json(text, what, message);
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
    return request::to_json(holder);
}

std::string text_of(const v1::CampaignCost& cost) {
    return request::to_json(cost);
}

std::string text_of(const google::protobuf::RepeatedPtrField<std::string>& values) {
    v1::CampaignMember holder;
    *holder.mutable_values() = values;
    return request::to_json(holder);
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

namespace {

constexpr int kDefaultCampaigns = 50;
constexpr int kDefaultMembers = 100;
constexpr std::chrono::milliseconds kBetweenUpdates{1000};

/// A request id that was used with another body says so to programs.
template <class Body>
auto known_conflict(const Body& body) {
    try {
        return body();
    } catch (const Error& error) {
        if (error.code() == ErrorCode::Conflict &&
            std::string_view(error.what()).starts_with("request_id")) {
            throw rpc::ReasonedError(error.code(), rpc::kRequestIdConflict, error.what());
        }
        throw;
    }
}

}  // namespace

store::Campaign Campaigns::check_owner(const auth::Principal& caller,
                                       const std::string& campaign_id, auth::Role others,
                                       const std::string& verb) {
    store::Campaign campaign = context_.store.look_at_campaign(campaign_id);
    if (!auth::allows(caller.role, others) && campaign.owner != caller.name) {
        throw Refusal("campaigns/" + campaign_id,
                      "campaign " + campaign_id + " belongs to \"" + campaign.owner + "\": \"" +
                          caller.name + "\", role " + std::string(to_string(caller.role)) +
                          ", may not " + verb + " it; its owner or role " +
                          std::string(to_string(others)) + " may");
    }
    return campaign;
}

void Campaigns::answer(const std::string& campaign_id, v1::Campaign& reply) {
    reply = to_message(context_.store.get_campaign(campaign_id));
}

void Campaigns::create(const Read<v1::CreateCampaignRequest>& read, const auth::Principal& caller,
                       v1::Campaign& reply) {
    store::NewCampaign wanted = receive_campaign(context_, read).campaign;
    wanted.principal = wanted.owner = caller.name;
    wanted.actor = actor_of(caller);
    const auto created = known_conflict([&] { return context_.store.create_campaign(wanted); });
    context_.wakeups.notify();
    answer(created.campaign_id, reply);
}

void Campaigns::extend(const Read<v1::CreateCampaignRequest>& read, const auth::Principal& caller,
                       v1::Campaign& reply) {
    std::string id;
    store::Campaign before;
    // Whose it is shows with the first message: nobody sends a thousand members in vain.
    bool first = true;
    const auto checked = [&](v1::CreateCampaignRequest& part) {
        const bool more = read(part);
        if (more && first && part.has_header()) {
            id = id_of(part.header().campaign(), "campaigns", "header.campaign");
            before = check_owner(caller, id, auth::Role::Operator, "extend");
            if (part.header().title().empty()) {
                part.mutable_header()->set_title(before.title);
            }
            // The cost of all members must stay within the limits that the campaign has.
            auto& limits = *part.mutable_header()->mutable_limits();
            limits.set_tasks_at_once(before.limits.tasks_at_once);
            limits.set_hours(before.limits.hours);
            limits.set_bytes(before.limits.bytes);
        }
        first = false;
        return more;
    };
    store::NewCampaign more = receive_campaign(context_, checked).campaign;
    more.principal = caller.name;
    more.actor = actor_of(caller);
    more.owner = before.owner;
    (void)known_conflict([&] { return context_.store.extend_campaign(id, more); });
    context_.wakeups.notify();
    answer(id, reply);
}

void Campaigns::get(const v1::GetCampaignRequest& request, v1::Campaign& reply) {
    answer(id_of(request.name(), "campaigns", "name"), reply);
}

void Campaigns::list(const v1::ListCampaignsRequest& request, v1::ListCampaignsResponse& reply) {
    const auto page = context_.store.list_campaigns(
        parse_campaign_filter(request.filter()),
        page_size_of(request.page_size(), kDefaultCampaigns), request.page_token());
    for (const store::Campaign& campaign : page.rows) {
        *reply.add_campaigns() = to_message(campaign);
    }
    reply.set_next_page_token(page.next);
}

void Campaigns::list_members(const v1::ListMembersRequest& request,
                             v1::ListMembersResponse& reply) {
    const std::string id = id_of(request.campaign(), "campaigns", "campaign");
    const auto state = parse_member_filter(request.filter());
    const auto page = context_.store.list_members(
        id, state, page_size_of(request.page_size(), kDefaultMembers), request.page_token());
    reply.set_next_page_token(page.next);
    std::size_t bytes = 0;
    for (const store::CampaignMember& member : page.rows) {
        if (bytes > kMaxReplyBytes) {  // errors may be long: the others on the next page
            reply.set_next_page_token(
                store::make_token(store::members_listing(id, state), member.ordinal));
            break;
        }
        *reply.add_members() = to_message(context_, member);
        bytes += reply.members().rbegin()->ByteSizeLong();
    }
}

Answers<v1::Campaign> Campaigns::watch(const v1::GetCampaignRequest request) {
    using Clock = std::chrono::steady_clock;
    const std::string id = id_of(request.name(), "campaigns", "name");
    std::string shown;
    Clock::time_point told{};
    while (true) {
        const std::uint64_t version = context_.wakeups.version();
        const auto since =
            std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - told);
        if (!shown.empty() && since < kBetweenUpdates) {
            throw_if_draining(context_);
            co_yield Pause{version, kBetweenUpdates - since};
            continue;
        }
        const v1::Campaign message = to_message(context_.store.get_campaign(id));
        told = Clock::now();
        if (std::string text = message.SerializeAsString(); text != shown) {
            shown = std::move(text);
            co_yield message;
        }
        if (message.state() != v1::Campaign::ACTIVE && message.state() != v1::Campaign::PAUSED) {
            co_return;
        }
        throw_if_draining(context_);
        co_yield Pause{version, kBetweenUpdates};
    }
}

void Campaigns::change(const v1::ChangeCampaignRequest& request, const auth::Principal& caller,
                       const char* verb, const Change& how, v1::Campaign& reply) {
    const std::string id = id_of(request.name(), "campaigns", "name");
    (void)check_owner(caller, id, auth::Role::Operator, verb);
    how(id);
    context_.wakeups.notify();
    answer(id, reply);
}

// These calls do as much as a call may take; the driver does the rest.
void Campaigns::pause(const v1::ChangeCampaignRequest& request, const auth::Principal& caller,
                      v1::Campaign& reply) {
    change(
        request, caller, "pause",
        [&](const std::string& id) {
            context_.store.pause_campaign(id, actor_of(caller), stop_of_a_call(context_));
        },
        reply);
}

void Campaigns::resume(const v1::ChangeCampaignRequest& request, const auth::Principal& caller,
                       v1::Campaign& reply) {
    change(
        request, caller, "resume",
        [&](const std::string& id) {
            context_.store.resume_campaign(id, actor_of(caller), stop_of_a_call(context_));
        },
        reply);
}

void Campaigns::cancel(const v1::ChangeCampaignRequest& request, const auth::Principal& caller,
                       v1::Campaign& reply) {
    change(
        request, caller, "cancel",
        [&](const std::string& id) {
            context_.store.cancel_campaign(id, actor_of(caller), stop_of_a_call(context_));
        },
        reply);
}

void Campaigns::retry(const v1::ChangeCampaignRequest& request, const auth::Principal& caller,
                      v1::Campaign& reply) {
    change(
        request, caller, "retry",
        [&](const std::string& id) { context_.store.retry_campaign(id, actor_of(caller)); }, reply);
}

void Campaigns::set_limits(const v1::SetCampaignLimitsRequest& request,
                           const auth::Principal& caller, v1::Campaign& reply) {
    const std::string id = id_of(request.name(), "campaigns", "name");
    const store::Campaign campaign = check_owner(caller, id, auth::Role::Operator, "set limits of");
    check_limits(request.limits(), to_message(campaign).cost());
    context_.store.set_campaign_limits(
        id, {request.limits().tasks_at_once(), request.limits().hours(), request.limits().bytes()},
        actor_of(caller), stop_of_a_call(context_));
    context_.wakeups.notify();
    answer(id, reply);
}

void Campaigns::remove(const v1::DeleteCampaignRequest& request, const auth::Principal& caller) {
    const std::string id = id_of(request.name(), "campaigns", "name");
    (void)check_owner(caller, id, auth::Role::Admin, "delete");
    if (!request.jobs()) {
        context_.store.delete_campaign(id, request.etag(), actor_of(caller));
        return;
    }
    context_.store.delete_campaign_with_jobs(id, request.etag(), actor_of(caller),
                                             stop_of_a_call(context_));
    context_.wakeups.notify();
}

}  // namespace kaname::service
