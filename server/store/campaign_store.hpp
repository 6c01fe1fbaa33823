// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/store/types.hpp"

namespace kaname::store {

/// Paused: what runs ends, nothing else of it starts. Failed: all members ended, some not done.
enum class CampaignState { Active, Paused, Done, Failed, Cancelled };
/// Active, Done, Failed, Cancelled: as its job. Refused: its request was not taken.
enum class MemberState { Waiting, Active, Done, Failed, Cancelled, Refused };

[[nodiscard]] std::string_view to_string(CampaignState state);
[[nodiscard]] std::string_view to_string(MemberState state);
/// The reverse; nothing for other text.
[[nodiscard]] std::optional<CampaignState> campaign_state_named(std::string_view text);
[[nodiscard]] std::optional<MemberState> member_state_named(std::string_view text);
/// Active or paused: there is more to come.
[[nodiscard]] constexpr bool is_open(CampaignState state) {
    return state == CampaignState::Active || state == CampaignState::Paused;
}

/// 0: none.
struct CampaignLimits {
    std::int64_t tasks_at_once = 0;  ///< ready or with workers, of those created for it
    double hours = 0, bytes = 0;     ///< kept as they are
};

struct NewMember {
    std::string label;   ///< unique in the campaign
    std::string values;  ///< kept as it is, as the request is
    std::string request;
};

/// A campaign, or what is added to one.
struct NewCampaign {
    std::string principal, request_id;  ///< together the idempotency key, shared with jobs
    std::string body_sha256;
    std::string owner, title;
    int priority = 0;
    std::string axes, cost;  ///< kept as they are; of an extension: in place of the old ones
    CampaignLimits limits = {};
    std::vector<NewMember> members;
    /// Returns the members after `members`, a piece of some megabytes at a time. `first` begins
    /// again, which may happen more than once; an empty piece is the end.
    std::function<std::vector<NewMember>(bool first)> more_members = {};
    std::int64_t most_members = 1000000;  ///< that it may have in all
    Actor actor = {};
    /// As in Submission: kept while the campaign is.
    std::vector<std::string> files = {};
    std::function<void()> check_files = {};
};

struct Campaign {
    std::string campaign_id, owner, title, axes, cost;
    CampaignState state = CampaignState::Active;
    int priority = 0;
    CampaignLimits limits;
    std::int64_t turn = 0;  ///< grows with each change that somebody makes, and at its end
    std::string reason;     ///< what its driver could not do
    double created_s = 0, ended_s = 0;  ///< 0: not ended
    /// Its last change has not reached all tasks yet: "hold", "lift" or "cancel"; or "delete".
    std::string work;
    std::int64_t n_total = 0, n_waiting = 0, n_active = 0, n_done = 0, n_failed = 0,
                 n_cancelled = 0, n_refused = 0;  ///< members
    /// Counts the sources of its jobs, as in Job.
    std::int64_t n_sources = 0, n_sources_done = 0, n_sources_failed = 0, n_sources_reused = 0,
                 n_sources_live = 0;
};

/// Changes with every change of the campaign or of a count.
[[nodiscard]] std::string etag_of(const Campaign& campaign);

struct CampaignMember {
    std::int64_t ordinal = 0;
    std::string label, values;
    MemberState state = MemberState::Waiting;
    std::string job_id;  ///< empty: none yet
    std::string error;
    Job job;  ///< its counts and times; nothing without a job
    /// The job's last item, once it is done.
    std::string sha256;
    std::int64_t bytes = 0, n_missing = 0;
};

/// One that waits: to be submitted, or with a job, for that to be tried again.
struct WaitingMember {
    std::int64_t ordinal = 0;
    int round = 0;  ///< how often it was begun anew
    std::string label, request, job_id;
};

struct CampaignFilter {
    std::string owner;  ///< empty: all
    std::string title;  ///< empty: all
    std::optional<CampaignState> state;
    std::string id_prefix = {};  ///< with which campaign_id begins; empty: all
};

/// Campaigns and their members. A member becomes a job of the owner by a submission that names it
/// (Submission::campaign), which counts only while the campaign is active. Throws Unavailable as
/// Store does, and NotFound where an id names no campaign.
class CampaignStore {
public:
    virtual ~CampaignStore() = default;

    /// Asked between the pieces of bulk work: true ends it, to be gone on with later.
    using Stop = std::function<bool()>;

    struct Created {
        std::string campaign_id;
        bool replayed = false;
    };
    /// Throws Conflict when the request id was used with another body.
    virtual Created create_campaign(const NewCampaign& wanted) = 0;
    /// Adds members; those whose label and request are there are left out. It is active again
    /// if it had ended. Throws Conflict naming a label that has another request, Exhausted
    /// when it would have too many.
    virtual Created extend_campaign(const std::string& campaign_id, const NewCampaign& more) = 0;
    [[nodiscard]] virtual Campaign get_campaign(const std::string& campaign_id) = 0;
    /// Without counts.
    [[nodiscard]] virtual Campaign look_at_campaign(const std::string& campaign_id) = 0;
    /// Newest first, with counts. Throws InvalidArgument as list_jobs does.
    [[nodiscard]] virtual Page<Campaign> list_campaigns(const CampaignFilter& filter, int limit,
                                                        const std::string& token) = 0;
    /// In their order.
    [[nodiscard]] virtual Page<CampaignMember> list_members(const std::string& campaign_id,
                                                            std::optional<MemberState> state,
                                                            int limit,
                                                            const std::string& token) = 0;

    /// When this has returned no task begins that no other job wants. `stop` may end this and the
    /// next ones before the last task is changed: Campaign::work says what is left for
    /// finish_campaign_work, and until a pause is over no task of the owner begins. Nothing changes
    /// when it is paused. Throws NotReady when it has ended.
    virtual void pause_campaign(const std::string& campaign_id, const Actor& actor = {},
                                const Stop& stop = {}) = 0;
    virtual void resume_campaign(const std::string& campaign_id, const Actor& actor = {},
                                 const Stop& stop = {}) = 0;
    /// Cancels its jobs and what waits. From now on none of its jobs' tasks begins, nor any of
    /// their owner until the last of them is cancelled. Nothing changes when it has ended.
    virtual void cancel_campaign(const std::string& campaign_id, const Actor& actor = {},
                                 const Stop& stop = {}) = 0;
    /// Lets members wait again that failed, were cancelled or refused. Throws NotReady when there
    /// are no such members.
    virtual void retry_campaign(const std::string& campaign_id, const Actor& actor = {}) = 0;
    virtual void set_campaign_limits(const std::string& campaign_id, const CampaignLimits& limits,
                                     const Actor& actor = {}, const Stop& stop = {}) = 0;
    /// Its jobs stay, as anybody's. Throws NotReady while it is active or paused, Aborted when
    /// `etag` is given and is not etag_of(campaign).
    virtual void delete_campaign(const std::string& campaign_id, const std::string& etag,
                                 const Actor& actor = {}) = 0;
    /// Deletes a campaign with its jobs, but for those that are pinned meanwhile. Throws as above.
    /// `stop` may end the call before the last one; what is left is Campaign::work, and nobody
    /// retries or extends it.
    virtual void delete_campaign_with_jobs(const std::string& campaign_id, const std::string& etag,
                                           const Actor& actor = {}, const Stop& stop = {}) = 0;

    /// Campaigns with something to do, which are this driver's for `lease_s` from now; one that
    /// another has is left out until its time is over.
    virtual std::vector<std::string> take_campaigns(const std::string& driver_id,
                                                    double lease_s) = 0;
    /// Leaves them to others.
    virtual void leave_campaigns(const std::string& driver_id) = 0;
    /// Goes on with a pause, resume, cancellation or deletion that a crash or `stop` cut off. A
    /// pause and a resume begin anew.
    virtual void finish_campaign_work(const std::string& campaign_id, const Stop& stop = {}) = 0;
    /// The first ones, in order, from `after` on.
    [[nodiscard]] virtual std::vector<WaitingMember> waiting_members(const std::string& campaign_id,
                                                                     std::int64_t after,
                                                                     int limit) = 0;
    /// Tasks that were created for it and have not ended.
    [[nodiscard]] virtual std::int64_t unfinished_tasks(const std::string& campaign_id) = 0;
    /// The member waits no more: it was refused for `error`, or, where that is empty, its job was
    /// tried again. Nothing happens when it does not wait in this round.
    virtual void end_wait(const std::string& campaign_id, const WaitingMember& member,
                          const std::string& error) = 0;
    /// Lets tasks begin that are held because of tasks_at_once, in their order, until the limit is
    /// reached. Returns how many.
    virtual std::int64_t lift_tasks(const std::string& campaign_id) = 0;
    virtual void set_reason(const std::string& campaign_id, const std::string& reason) = 0;
    /// Ends an active campaign whose members have all ended. Whether it did.
    virtual bool settle_campaign(const std::string& campaign_id) = 0;
};

}  // namespace kaname::store
