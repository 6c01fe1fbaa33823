// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "server/store/campaign_store.hpp"
#include "server/store/dataset_store.hpp"

/// Declares the rules about campaigns that all stores share.
namespace kaname::store {

[[noreturn]] void throw_no_campaign(const std::string& campaign_id);
/// NotReady unless it is active or paused; `verb`: "pause", for the message.
void check_open(const Campaign& campaign, const char* verb);
/// NotReady while it is active or paused, Aborted when `etag` is given and is not the campaign's.
void check_deletable(const Campaign& campaign, const std::string& etag);
/// NotReady while its jobs are being cancelled or deleted: nothing can be added meanwhile.
void check_not_being_ended(const Campaign& campaign);
/// Hands over all members, piece by piece.
void for_each_piece(const NewCampaign& wanted,
                    const std::function<void(std::span<const NewMember>)>& take);
/// A member of a campaign that has not ended: its job cannot be deleted.
void check_deletable_member(const std::string& job_id, const Campaign& campaign);
/// NotReady: the campaign is not active, or its member waits no more.
[[noreturn]] void throw_not_waiting(const Submission& submission);
[[noreturn]] void throw_nothing_to_retry(const std::string& campaign_id);
[[noreturn]] void throw_other_member(const std::string& campaign_id, const std::string& label);
/// Exhausted when a campaign of `n` members is to get more than it may have.
void check_room_for_members(std::int64_t n, std::int64_t n_more, const NewCampaign& wanted);
/// kJobDeleted is the error of a member whose job was deleted.
inline constexpr const char* kJobDeleted = "its job was deleted";

[[nodiscard]] std::string listing_name(const CampaignFilter& filter);
[[nodiscard]] std::string members_listing(const std::string& campaign_id,
                                          std::optional<MemberState> state);

/// Declares the rules about datasets that all stores share.

inline constexpr std::size_t kMostTags = 32;

/// NotReady while it is pinned, its job is active or its campaign exists; Aborted when `etag` is
/// given and is not the job's.
void check_deletable(const Dataset& dataset, const std::string& etag);
/// NotReady: a job whose dataset is pinned.
[[noreturn]] void throw_pinned(const std::string& job_id);
/// Sorted, each once. Throws InvalidArgument when they are more than kMostTags.
[[nodiscard]] std::vector<std::string> changed_tags(const std::vector<std::string>& tags,
                                                    const DatasetChange& change);
/// "ok, +a -b, pinned", for the audit.
[[nodiscard]] std::string change_text(const DatasetChange& change);
[[nodiscard]] std::string listing_name(const DatasetFilter& filter);
/// Lists the datasets that a retention deletes, as indices into all datasets, and the bytes that
/// this frees.
struct DatasetsToDelete {
    std::vector<std::size_t> which;
    std::int64_t freed_bytes = 0;
};
[[nodiscard]] DatasetsToDelete what_goes(std::span<const RetainedDataset> oldest_first,
                                         const DatasetRetention& retention);

}  // namespace kaname::store
