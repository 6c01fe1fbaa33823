// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/campaigns/campaign_driver.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "server/store/rules.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/text.hpp"

namespace kaname::service {
namespace {

constexpr std::size_t kMaxError = 4U << 10U;
/// A member is refused after so many failures in a row for which no reason of its own is known.
constexpr int kMostFailures = 8;
constexpr std::chrono::milliseconds kShortestLook{200};
/// Time between looks for campaigns of other servers that have ended.
constexpr double kLookForOthers_s = 30;

/// Returns true if the same call may succeed later.
bool may_pass(ErrorCode code) {
    return code == ErrorCode::Exhausted || code == ErrorCode::Unavailable;
}

/// Returns true if the same call will never succeed.
bool is_final(ErrorCode code) {
    return code == ErrorCode::InvalidArgument || code == ErrorCode::OutOfRange ||
           code == ErrorCode::NotFound || code == ErrorCode::Conflict ||
           code == ErrorCode::PermissionDenied;
}

}  // namespace

std::string member_request_id(const std::string& campaign_id, std::int64_t member, int round) {
    std::string id = sha256_hex("kaname campaign member " + campaign_id + '/' +
                                std::to_string(member) + '/' + std::to_string(round));
    id.resize(32);
    id[12] = '5';
    id[16] = 'a';
    for (const std::size_t dash : {8U, 13U, 18U, 23U}) {
        id.insert(dash, "-");
    }
    return id;
}

CampaignDriver::CampaignDriver(Context& context, Submitter& submitter, Jobs& jobs)
    : context_(context), submitter_(submitter), jobs_(jobs), driver_id_(store::make_uuid()) {}

CampaignDriver::~CampaignDriver() {
    stop();
}

void CampaignDriver::start() {
    if (context_.options.campaigns.drive) {
        thread_ = std::thread([this] { run(); });
    }
}

void CampaignDriver::stop() {
    {
        const std::lock_guard lock(mutex_);
        end_ = true;
    }
    ending_.notify_all();
    if (thread_.joinable()) {
        thread_.join();
    }
    if (!std::exchange(left_, true)) {
        try {
            context_.store.leave_campaigns(driver_id_);
        } catch (const std::exception&) {
            // Then others take them when their time is over.
        }
    }
}

void CampaignDriver::wake() {
    {
        const std::lock_guard lock(mutex_);
        if (std::exchange(woken_, true)) {
            return;
        }
    }
    ending_.notify_all();
}

bool CampaignDriver::ended() {
    const std::lock_guard lock(mutex_);
    return end_;
}

void CampaignDriver::run() {
    while (!ended()) {
        const std::uint64_t seen = context_.wakeups.version();
        bool more = false;
        try {
            more = pass();
        } catch (const std::exception& error) {
            context_.trouble("campaigns", std::string("campaigns wait: ") + error.what());
        }
        const std::chrono::duration<double> look(
            has_campaigns_ ? context_.options.campaigns.look_every_s
                           : std::max(context_.options.campaigns.look_every_s, kLookForOthers_s));
        std::unique_lock lock(mutex_);
        if (more || ending_.wait_for(lock, kShortestLook, [this] { return end_; })) {
            continue;
        }
        woken_ = context_.wakeups.version() != seen;
        ending_.wait_for(lock, look - kShortestLook, [this] { return end_ || woken_; });
    }
}

bool CampaignDriver::pass(Clock::time_point now) {
    bool more = false;
    const std::vector<std::string> taken =
        context_.store.take_campaigns(driver_id_, context_.options.campaigns.lease_s);
    has_campaigns_ = !taken.empty();
    for (const std::string& id : taken) {
        if (ended()) {
            return false;
        }
        try {
            more = drive(id, now) || more;
        } catch (const Error& error) {
            if (error.code() != ErrorCode::NotFound) {  // it was deleted meanwhile
                throw;
            }
        }
    }
    return more;
}

bool CampaignDriver::drive(const std::string& campaign_id, Clock::time_point now) {
    store::Store& store = context_.store;
    const CampaignOptions& options = context_.options.campaigns;
    const store::Campaign campaign = store.look_at_campaign(campaign_id);
    if (!campaign.work.empty()) {
        // These two go on after the other campaigns have had their turn.
        const bool in_pieces = campaign.work == "cancel" || campaign.work == "delete";
        store.finish_campaign_work(campaign_id, [&, until = Clock::now() + BulkWork::kOfACall] {
            return ended() || (in_pieces && Clock::now() >= until);
        });
        context_.wakeups.notify();
        return true;
    }
    if (campaign.state != store::CampaignState::Active) {
        return false;
    }
    std::int64_t n_lifted = store.lift_tasks(campaign_id);
    const auto waiting = store.waiting_members(campaign_id, 0, options.members_at_once);
    bool more = false;
    if (waiting.empty()) {
        waiting_.erase(campaign_id);
        if (!campaign.reason.empty()) {
            store.set_reason(campaign_id, "");
        }
        if (store.settle_campaign(campaign_id)) {
            context_.wakeups.notify();
        }
    } else if (waiting_[campaign_id].until <= now) {
        std::int64_t n_tasks = store.unfinished_tasks(campaign_id);
        more = true;
        for (const store::WaitingMember& member : waiting) {
            more = more && n_tasks < options.window && !ended() &&
                   begin(campaign, member, n_tasks, now);
        }
        n_lifted += store.lift_tasks(campaign_id);
    }
    if (n_lifted > 0) {
        context_.wakeups.notify();
    }
    return more;
}

bool CampaignDriver::begin(const store::Campaign& campaign, const store::WaitingMember& member,
                           std::int64_t& n_tasks, Clock::time_point now) {
    Waiting& waiting = waiting_[campaign.campaign_id];
    std::string trouble;
    bool refused = false;
    try {
        submit(campaign, member, n_tasks);
    } catch (const Error& error) {
        if (error.code() == ErrorCode::NotReady) {
            return false;  // paused or cancelled meanwhile
        }
        trouble = error.what();
        refused = is_final(error.code()) ||
                  (!may_pass(error.code()) && waiting.n_failures + 1 >= kMostFailures);
    } catch (const std::exception& error) {
        trouble = error.what();
        refused = waiting.n_failures + 1 >= kMostFailures;
    }
    if (trouble.empty() || refused) {
        if (refused) {
            context_.store.end_wait(campaign.campaign_id, member, to_utf8(trouble, kMaxError));
        }
        if (waiting.n_failures > 0 || !campaign.reason.empty()) {
            context_.store.set_reason(campaign.campaign_id, "");
        }
        waiting = {};
        return true;
    }
    const double delay_s = std::min(context_.options.campaigns.longest_backoff_s,
                                    std::exp2(std::min(waiting.n_failures, 20)));
    ++waiting.n_failures;
    waiting.until =
        now + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(delay_s));
    context_.store.set_reason(
        campaign.campaign_id,
        to_utf8("member \"" + member.label + "\" cannot be submitted yet: " + trouble, kMaxError));
    return false;
}

void CampaignDriver::submit(const store::Campaign& campaign, const store::WaitingMember& member,
                            std::int64_t& n_tasks) {
    const auth::Principal owner{campaign.owner, auth::Role::User};
    if (!member.job_id.empty()) {
        v1::RetryJobRequest again;
        again.set_name(member.job_id);
        v1::Job job;
        try {
            jobs_.retry_job(again, owner, job);
        } catch (const Error& error) {
            // Retried before a crash, and done since.
            if (error.code() != ErrorCode::NotReady) {
                throw;
            }
        }
        context_.store.end_wait(campaign.campaign_id, member, "");
        n_tasks = context_.store.unfinished_tasks(campaign.campaign_id);
        return;
    }
    SubmitRequest request;
    request.specification =
        context_.options.kinds->parse(member.request, "member \"" + member.label + '"');
    request.request_id = member_request_id(campaign.campaign_id, member.ordinal, member.round);
    request.priority = campaign.priority;
    request.campaign = campaign.campaign_id;
    request.member = member.ordinal;
    request.gone = [this] { return ended(); };
    n_tasks += submitter_.submit(std::move(request), owner).report().created();
}

}  // namespace kaname::service
