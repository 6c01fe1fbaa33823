// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "server/service/jobs/jobs.hpp"
#include "server/service/jobs/submit.hpp"

namespace kaname::service {

/// The request id of a member's submission, the same whoever makes it: two drivers, or one after a
/// crash, make one job of it.
[[nodiscard]] std::string member_request_id(const std::string& campaign_id, std::int64_t member,
                                            int round);

/// Turns members of campaigns into jobs of their owners, by the same call as everybody's,
/// and ends campaigns whose jobs have ended. What it knows is in the store, but for how long it
/// waits before it tries again what failed for now.
class CampaignDriver {
public:
    using Clock = std::chrono::steady_clock;

    /// All outlive this.
    CampaignDriver(Context& context, Submitter& submitter, Jobs& jobs);
    CampaignDriver(const CampaignDriver&) = delete;
    CampaignDriver& operator=(const CampaignDriver&) = delete;
    ~CampaignDriver();

    /// Begins to make passes in a thread of its own, if the options want it.
    void start();
    /// Something has changed: a campaign may go on.
    void wake();
    /// Ends them and leaves the campaigns to other servers.
    void stop();

    /// One look at the campaigns that are this driver's. Whether there is more to do at once.
    bool pass(Clock::time_point now = Clock::now());

private:
    struct Waiting {
        int n_failures = 0;
        Clock::time_point until{};
    };
    bool drive(const std::string& campaign_id, Clock::time_point now);
    /// Submits a member; returns true if the next member may follow.
    bool begin(const store::Campaign& campaign, const store::WaitingMember& member,
               std::int64_t& n_tasks, Clock::time_point now);
    void submit(const store::Campaign& campaign, const store::WaitingMember& member,
                std::int64_t& n_tasks);
    void run();
    [[nodiscard]] bool ended();

    Context& context_;
    Submitter& submitter_;
    Jobs& jobs_;
    const std::string driver_id_;
    std::map<std::string, Waiting> waiting_;  ///< by campaign
    std::mutex mutex_;
    std::condition_variable ending_;
    bool end_ = false, left_ = false, woken_ = false, has_campaigns_ = false;
    std::thread thread_;
};

}  // namespace kaname::service
