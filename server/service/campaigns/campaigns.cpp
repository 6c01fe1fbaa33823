// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/campaigns/campaigns.hpp"

#include <algorithm>

#include "server/service/campaigns/campaign_intake.hpp"
#include "server/service/campaigns/campaign_views.hpp"
#include "server/service/datasets/filter.hpp"
#include "server/service/jobs/bulk_work.hpp"
#include "server/service/stream/calls.hpp"
#include "server/service/stream/paging.hpp"
#include "server/service/views.hpp"
#include "server/store/campaign_rules.hpp"
#include "server/store/rules.hpp"

namespace kaname::service {
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
