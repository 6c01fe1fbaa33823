// SPDX-License-Identifier: BSD-3-Clause
#include "server/store/campaign_rules.hpp"

#include <array>
#include <map>
#include <set>
#include <utility>

#include "proto/reason/reasoned_error.hpp"
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
    throw rpc::ReasonedError(ErrorCode::NotFound, rpc::kCampaignUnknown,
                             "no campaign \"" + campaign_id + '"');
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
        throw rpc::ReasonedError(ErrorCode::Aborted, rpc::kEtagMismatch,
                                 "campaign \"" + campaign.campaign_id + "\" has changed: etag is " +
                                     etag_of(campaign) + ", got " + etag);
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
                                         "\" with another request: its label must be "
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
           filter.owner + '/' + filter.title +
           (filter.id_prefix.empty() ? "" : "/id " + filter.id_prefix);
}

std::string members_listing(const std::string& campaign_id, std::optional<MemberState> state) {
    return "members/" + campaign_id + '/' + (state ? std::string(to_string(*state)) : "any");
}

namespace {

/// With its length, so that no two lists are one text.
void append(std::string& text, const std::string& value) {
    text += std::to_string(value.size()) + ':' + value + '/';
}

void append(std::string& text, const std::vector<std::string>& values) {
    append(text, std::to_string(values.size()));
    for (const std::string& value : values) {
        append(text, value);
    }
}

void append(std::string& text, std::initializer_list<double> values) {
    for (const double value : values) {
        append(text, std::to_string(value));
    }
}

}  // namespace

void throw_pinned(const std::string& job_id) {
    throw Error(ErrorCode::NotReady,
                "dataset \"" + job_id + "\" is pinned: unpin it before deleting it");
}

void check_deletable(const Dataset& dataset, const std::string& etag) {
    const std::string which = "dataset \"" + dataset.job_id + '"';
    if (dataset.pinned) {
        throw_pinned(dataset.job_id);
    }
    if (dataset.state == JobState::Active) {
        throw rpc::ReasonedError(
            ErrorCode::NotReady, rpc::kJobActive,
            which + " is of a job that is active: cancel the job, or wait for its end");
    }
    if (!dataset.campaign_id.empty()) {
        throw Error(ErrorCode::NotReady, which + " is a member of campaign \"" +
                                             dataset.campaign_id +
                                             "\": delete the campaign, or the member's job");
    }
    if (!etag.empty() && etag != dataset.etag) {
        throw rpc::ReasonedError(ErrorCode::Aborted, rpc::kEtagMismatch,
                                 which + " has changed: etag is " + dataset.etag + ", got " + etag);
    }
}

std::vector<std::string> changed_tags(const std::vector<std::string>& tags,
                                      const DatasetChange& change) {
    std::set<std::string> kept(tags.begin(), tags.end());
    for (const std::string& tag : change.remove_tags) {
        kept.erase(tag);
    }
    kept.insert(change.add_tags.begin(), change.add_tags.end());
    if (kept.size() > kMostTags) {
        throw Error(ErrorCode::InvalidArgument, "add_tags: a dataset has at most " +
                                                    std::to_string(kMostTags) + " tags, got " +
                                                    std::to_string(kept.size()));
    }
    return {kept.begin(), kept.end()};
}

std::string change_text(const DatasetChange& change) {
    std::string text = "ok";
    const auto add = [&](const std::string& what) { text += (text == "ok" ? ", " : " ") + what; };
    for (const std::string& tag : change.add_tags) {
        add('+' + tag);
    }
    for (const std::string& tag : change.remove_tags) {
        add('-' + tag);
    }
    if (change.pinned) {
        add(*change.pinned ? "pinned" : "unpinned");
    }
    return text;
}

std::string listing_name(const DatasetFilter& filter) {
    std::string text = "datasets/";
    for (const std::string* value :
         {&filter.title, &filter.title_prefix, &filter.owner, &filter.campaign_id,
          &filter.structure_sha256, &filter.physics}) {
        append(text, *value);
    }
    for (const auto* values : {&filter.tags, &filter.faults, &filter.stations}) {
        append(text, *values);
    }
    for (const std::optional<bool>& value : {filter.complete, filter.pinned}) {
        append(text, std::string(!value ? "any" : *value ? "yes" : "no"));
    }
    append(text, {filter.made_after_s, filter.made_before_s});
    if (filter.place) {
        append(text, {filter.place->west_deg, filter.place->south_deg, filter.place->east_deg,
                      filter.place->north_deg});
    }
    text += '|';
    if (filter.near) {
        append(text,
               {filter.near->point.lon_deg, filter.near->point.lat_deg, filter.near->distance_km});
    }
    return text;
}

DatasetsToDelete what_goes(std::span<const RetainedDataset> oldest_first,
                           const DatasetRetention& retention) {
    // A file is there for as long as one of its datasets is.
    std::map<std::string_view, std::int64_t> uses;
    std::int64_t stored = 0;
    for (const RetainedDataset& one : oldest_first) {
        if (uses[one.sha256]++ == 0) {
            stored += one.bytes;
        }
    }
    DatasetsToDelete going;
    for (std::size_t k = 0; k < oldest_first.size(); ++k) {
        const RetainedDataset& one = oldest_first[k];
        const bool old = retention.older_than_s > 0 && one.age_s > retention.older_than_s;
        const bool too_much = retention.keep_bytes >= 0 && stored > retention.keep_bytes;
        if (!one.free || !(old || too_much)) {
            continue;
        }
        going.which.push_back(k);
        if (--uses[one.sha256] == 0) {
            stored -= one.bytes;
            going.freed_bytes += one.bytes;
        }
    }
    return going;
}

}  // namespace kaname::store
