// SPDX-License-Identifier: BSD-3-Clause
#include "server/store/campaign_rules.hpp"

#include <array>
#include <utility>

#include "solvers/base/error.hpp"

namespace kaname::store {
namespace {

// Names in the order of the enumerators; the database holds these texts.
constexpr std::array<std::string_view, 5> kCampaignStates{"active", "paused", "done", "failed",
                                                          "cancelled"};
constexpr std::array<std::string_view, 6> kMemberStates{"waiting", "active",    "done",
                                                        "failed",  "cancelled", "refused"};

template <typename T, std::size_t N>
std::optional<T> find(const std::array<std::string_view, N>& names, std::string_view text) {
    for (std::size_t k = 0; k < N; ++k) {
        if (names[k] == text) {
            return static_cast<T>(k);
        }
    }
    return std::nullopt;
}

}  // namespace

std::string_view to_string(CampaignState state) {
    return kCampaignStates[static_cast<std::size_t>(state)];
}
std::string_view to_string(MemberState state) {
    return kMemberStates[static_cast<std::size_t>(state)];
}
std::optional<CampaignState> campaign_state_named(std::string_view text) {
    return find<CampaignState>(kCampaignStates, text);
}
std::optional<MemberState> member_state_named(std::string_view text) {
    return find<MemberState>(kMemberStates, text);
}

std::string etag_of(const Campaign& campaign) {
    std::string etag = std::to_string(campaign.turn) + '-' + std::string(to_string(campaign.state));
    for (const std::int64_t n :
         {campaign.n_total, campaign.n_waiting, campaign.n_done, campaign.n_failed,
          campaign.n_cancelled, campaign.n_refused, campaign.n_sources_done}) {
        etag += '-' + std::to_string(n);
    }
    return etag;
}

void throw_no_campaign(const std::string& campaign_id) {
    throw Error(ErrorCode::NotFound, "no campaign \"" + campaign_id + '"');
}

void check_open(const Campaign& campaign, const char* verb) {
    if (!is_open(campaign.state)) {
        throw Error(ErrorCode::NotReady, "campaign \"" + campaign.campaign_id + "\" is " +
                                             std::string(to_string(campaign.state)) +
                                             ": there is nothing to " + verb);
    }
}

void check_deletable(const Campaign& campaign, const std::string& etag) {
    if (is_open(campaign.state)) {
        throw Error(ErrorCode::NotReady, "campaign \"" + campaign.campaign_id + "\" is " +
                                             std::string(to_string(campaign.state)) +
                                             ": cancel it before deleting it");
    }
    if (!etag.empty() && etag != etag_of(campaign)) {
        throw Error(ErrorCode::Aborted, "campaign \"" + campaign.campaign_id +
                                            "\" has changed: etag is " + etag_of(campaign) +
                                            ", got " + etag);
    }
}

void for_each_piece(const NewCampaign& wanted,
                    const std::function<void(std::span<const NewMember>)>& take) {
    take(wanted.members);
    bool first = true;
    while (wanted.more_members) {
        const std::vector<NewMember> piece = wanted.more_members(std::exchange(first, false));
        if (piece.empty()) {
            return;
        }
        take(piece);
    }
}

void check_not_being_ended(const Campaign& campaign) {
    if (campaign.work == "cancel" || campaign.work == "delete") {
        throw Error(ErrorCode::NotReady,
                    "campaign \"" + campaign.campaign_id + "\" is being " + campaign.work +
                        (campaign.work == "cancel" ? "led" : "d") + ": call again when it is");
    }
}

void check_deletable_member(const std::string& job_id, const Campaign& campaign) {
    if (is_open(campaign.state)) {
        throw Error(ErrorCode::NotReady, "job \"" + job_id + "\" is a member of campaign \"" +
                                             campaign.campaign_id + "\", which is " +
                                             std::string(to_string(campaign.state)) +
                                             ": it can be deleted when the campaign has ended");
    }
}

void throw_not_waiting(const Submission& submission) {
    throw Error(ErrorCode::NotReady, "member " + std::to_string(submission.member) +
                                         " of campaign \"" + submission.campaign +
                                         "\" cannot be submitted: the campaign is not active, or "
                                         "the member does not wait");
}

void throw_nothing_to_retry(const std::string& campaign_id) {
    throw Error(ErrorCode::NotReady, "campaign \"" + campaign_id +
                                         "\": no member failed, was cancelled or refused, nothing "
                                         "to retry");
}

void throw_other_member(const std::string& campaign_id, const std::string& label) {
    throw Error(ErrorCode::Conflict, "campaign \"" + campaign_id + "\" has a member \"" + label +
                                         "\" with another specification: its label must be "
                                         "another, too");
}

void check_room_for_members(std::int64_t n, std::int64_t n_more, const NewCampaign& wanted) {
    if (n + n_more > wanted.most_members) {
        throw Error(ErrorCode::Exhausted, "members: a campaign must have at most " +
                                              std::to_string(wanted.most_members) +
                                              ", this one has " + std::to_string(n) +
                                              " and is to get " + std::to_string(n_more) + " more");
    }
}

std::string listing_name(const CampaignFilter& filter) {
    return "campaigns/" + (filter.state ? std::string(to_string(*filter.state)) : "any") + '/' +
           filter.owner + '/' + filter.title;
}

std::string members_listing(const std::string& campaign_id, std::optional<MemberState> state) {
    return "members/" + campaign_id + '/' + (state ? std::string(to_string(*state)) : "any");
}

}  // namespace kaname::store
