// SPDX-License-Identifier: BSD-3-Clause
// Campaigns, and tasks that are held for them: what every Store does.
#include <algorithm>
#include <random>
#include <set>

#include "server/store/rules.hpp"
#include "solvers/base/error.hpp"
#include "tests/conformance/store/campaign_jobs.hpp"
#include "tests/conformance/store/store_suite.hpp"

namespace kaname::conformance::store_campaigns_suite {
namespace {

using store::CampaignState;
using store::ClaimedTask;
using store::JobState;
using store::LeaseResult;
using store::MemberState;

template <class Body>
ErrorCode code_of(Body&& body) {
    try {
        body();
    } catch (const Error& error) {
        return error.code();
    }
    ADD_FAILURE() << "nothing was refused";
    return ErrorCode::Internal;
}

std::string labels_of(const std::vector<ClaimedTask>& tasks) {
    std::set<std::string> labels;
    for (const ClaimedTask& task : tasks) {
        labels.insert(task.label);
    }
    std::string text;
    for (const std::string& label : labels) {
        text += (text.empty() ? "" : " ") + label;
    }
    return text;
}

std::string states_of(store::Store& store, const std::string& campaign) {
    std::string text;
    for (const auto& member : store.list_members(campaign, std::nullopt, 100, "").rows) {
        text += (text.empty() ? "" : " ") + std::string(to_string(member.state));
    }
    return text;
}

}  // namespace

TEST_P(StoreConformance, AMemberBecomesAJobOnceAndOnlyWhileItsCampaignIsActive) {
    const std::string id = store_.create_campaign(campaign_of("r1", 3)).campaign_id;
    EXPECT_TRUE(store_.create_campaign(campaign_of("r1", 3)).replayed);
    store::NewCampaign other = campaign_of("r1", 2);
    other.body_sha256 = sha256_hex("another");
    EXPECT_EQ(code_of([&] { (void)store_.create_campaign(other); }), ErrorCode::Conflict);

    const std::string job = submit_member(store_, id, 0, {"a"}).job_id;

    const std::string alone = store_.submit(batch_of("alone", {"z"})).job_id;
    for (const store::Job& one : {store_.get_job(job), store_.look_at_job(job)}) {
        EXPECT_EQ(one.campaign_id, id);
        EXPECT_EQ(one.member, "k=0");
    }
    for (const store::JobFilter& filter : {store::JobFilter{}, store::JobFilter{.owner = "ann"},
                                           store::JobFilter{.id_prefix = job.substr(0, 8)}}) {
        for (const store::Job& one : store_.list_jobs(filter, 10, "").rows) {
            EXPECT_EQ(one.member, one.job_id == job ? "k=0" : "");
            EXPECT_EQ(one.campaign_id, one.job_id == job ? id : "");
        }
    }
    EXPECT_EQ(store_.get_job(alone).member, "");
    EXPECT_EQ(submit_member(store_, id, 0, {"a"}).job_id, job) << "the same request";
    store::Submission again = batch_of("another request", {"a"});
    again.campaign = id;
    EXPECT_EQ(code_of([&] { (void)store_.submit(again); }), ErrorCode::NotReady);
    store_.pause_campaign(id);
    EXPECT_EQ(code_of([&] { (void)submit_member(store_, id, 1, {"b"}); }), ErrorCode::NotReady);
    const auto campaign = store_.get_campaign(id);
    EXPECT_EQ(campaign.state, CampaignState::Paused);
    EXPECT_EQ(campaign.n_waiting, 2);
    EXPECT_EQ(campaign.n_active, 1);
    EXPECT_EQ(campaign.n_sources_live, 1);
    EXPECT_EQ(states_of(store_, id), "active waiting waiting");
    EXPECT_EQ(store_.waiting_members(id, 0, 10).size(), 2U);
    EXPECT_EQ(store_.waiting_members(id, 2, 10).front().request, "spec 2");
    EXPECT_EQ(store_.list_campaigns({"ann", "many", CampaignState::Paused}, 10, "").rows.size(),
              1U);
    EXPECT_TRUE(store_.list_campaigns({"bob", "", std::nullopt}, 10, "").rows.empty());
    EXPECT_EQ(store_.list_campaigns({"", "", {}, id.substr(0, 4)}, 10, "").rows.size(), 1U);
    EXPECT_TRUE(store_.list_campaigns({"", "", {}, id + '0'}, 10, "").rows.empty());
    EXPECT_EQ(code_of([&] { (void)store_.get_campaign("no such"); }), ErrorCode::NotFound);
}

TEST_P(StoreConformance, APausedCampaignStartsNothingAndAResumedOneAll) {
    const std::string id = store_.create_campaign(campaign_of("r1", 1)).campaign_id;
    const std::string job = submit_member(store_, id, 0, {"a", "b"}).job_id;
    const auto mesh = claim("w1");
    ASSERT_EQ(labels_of(mesh), "mesh");

    store_.pause_campaign(id);
    EXPECT_EQ(complete("w1", mesh[0].held()), LeaseResult::Ok);  // what runs ends

    EXPECT_TRUE(claim("w1").empty());
    EXPECT_EQ(store_.count_tasks().held, 2);
    EXPECT_TRUE(store_.ready_owners(std::vector<std::string>{"gpu"}).empty());
    store_.pause_campaign(id);  // harmless

    store_.resume_campaign(id);
    const auto solves = claim("w1");
    EXPECT_EQ(labels_of(solves), "a b");
    for (const ClaimedTask& task : solves) {
        EXPECT_EQ(complete("w1", task.held()), LeaseResult::Ok);
    }
    EXPECT_FALSE(store_.settle_campaign(id));
    EXPECT_EQ(complete("w1", claim("w1").at(0).held()), LeaseResult::Ok);
    EXPECT_TRUE(store_.settle_campaign(id));
    EXPECT_EQ(store_.get_campaign(id).state, CampaignState::Done);
    const auto member = store_.list_members(id, MemberState::Done, 10, "").rows.at(0);
    EXPECT_EQ(member.job_id, job);
    EXPECT_EQ(member.sha256, sha256_hex("r"));
    EXPECT_EQ(code_of([&] { store_.pause_campaign(id); }), ErrorCode::NotReady);
    EXPECT_EQ(store_.count_tasks().held, 0);
    expect_consistent(job);
}

TEST_P(StoreConformance, WhatComesBackWhilePausedIsHeld) {
    const std::string id = store_.create_campaign(campaign_of("r1", 1)).campaign_id;
    (void)submit_member(store_, id, 0, {"a", "b", "c"});
    EXPECT_EQ(complete("w1", claim("w1").at(0).held()), LeaseResult::Ok);
    const auto solves = claim("w1");
    ASSERT_EQ(solves.size(), 3U);
    store_.pause_campaign(id);

    const store::Held back = solves[0].held();
    (void)store_.return_tasks("w1", {&back, 1});
    (void)store_.fail("w1", {solves[1].held(), "io", "again", true, false});
    advance(1000);
    EXPECT_EQ(store_.reap().tasks_returned, 1);
    advance(1000);

    EXPECT_TRUE(claim("w2").empty());
    EXPECT_EQ(store_.count_tasks().held, 3);
    store_.resume_campaign(id);
    EXPECT_EQ(claim("w2").size(), 3U);
}

TEST_P(StoreConformance, WhatAnotherJobWantsIsNotHeldForAsLongAsItDoes) {
    const std::string id = store_.create_campaign(campaign_of("r1", 1)).campaign_id;
    (void)submit_member(store_, id, 0, {"a", "b"});
    store_.pause_campaign(id);
    EXPECT_TRUE(claim("w1").empty());

    const std::string job = store_.submit(batch_of("other", {"b", "x"})).job_id;
    const auto mesh = claim("w1");
    EXPECT_EQ(labels_of(mesh), "mesh") << "which the paused one wants too";
    EXPECT_EQ(complete("w1", mesh.at(0).held()), LeaseResult::Ok);
    EXPECT_EQ(store_.count_tasks().ready, 2);
    EXPECT_EQ(store_.count_tasks().held, 1);

    (void)store_.cancel_job(job);
    EXPECT_TRUE(claim("w1").empty()) << "b is the paused one's alone again";
    EXPECT_EQ(store_.count_tasks().held, 2);
}

TEST_P(StoreConformance, WhatAPausedJobJoinsIsNotHeld) {
    const std::string id = store_.create_campaign(campaign_of("r1", 2)).campaign_id;
    const std::string first = submit_member(store_, id, 0, {"a", "b"}).job_id;
    store_.cancel_job(first);
    store_.pause_campaign(id);
    const std::string other = store_.submit(batch_of("other", {"b"})).job_id;

    (void)store_.retry_job(first);

    const auto mesh = claim("w1");
    EXPECT_EQ(labels_of(mesh), "mesh");
    EXPECT_EQ(complete("w1", mesh.at(0).held()), LeaseResult::Ok);
    EXPECT_EQ(store_.count_tasks().held, 1) << "a";
    EXPECT_EQ(store_.count_tasks().ready, 1) << "b";
    (void)store_.cancel_job(first);
    EXPECT_EQ(store_.count_tasks().held, 0);
    EXPECT_EQ(store_.get_job(other).state, JobState::Active);
}

TEST_P(StoreConformance, AsManyTasksBeginAtOnceAsTheCampaignAllowsInTheirOrder) {
    const std::string id = store_.create_campaign(campaign_of("r1", 2, 2)).campaign_id;
    (void)submit_member(store_, id, 0, {"a", "b", "c"}, "mesh 0");
    (void)submit_member(store_, id, 1, {"d", "e"}, "mesh 1");
    EXPECT_TRUE(claim("w1").empty()) << "until the driver lets them";

    EXPECT_EQ(store_.lift_tasks(id), 2);
    EXPECT_EQ(store_.lift_tasks(id), 0);
    const auto first = claim("w1"), second = claim("w1");
    EXPECT_EQ(labels_of(first) + ' ' + labels_of(second), "mesh 0 mesh 1");
    EXPECT_EQ(complete("w1", first[0].held()), LeaseResult::Ok);
    EXPECT_EQ(store_.lift_tasks(id), 1);
    EXPECT_EQ(labels_of(claim("w1")), "a");

    store_.set_campaign_limits(id, {4, 0, 0});
    EXPECT_EQ(store_.lift_tasks(id), 2);
    EXPECT_EQ(labels_of(claim("w1")), "b c");
    EXPECT_EQ(complete("w1", second[0].held()), LeaseResult::Ok);
    store_.set_campaign_limits(id, {0, 0, 0});
    EXPECT_EQ(labels_of(claim("w1")), "d e");
    EXPECT_EQ(store_.count_tasks().held, 0);
}

TEST_P(StoreConformance, LimitsSetWhilePausedHoldAfterwards) {
    const std::string id = store_.create_campaign(campaign_of("r1", 1)).campaign_id;
    (void)submit_member(store_, id, 0, {"a", "b"});
    EXPECT_EQ(complete("w1", claim("w1").at(0).held()), LeaseResult::Ok);
    store_.pause_campaign(id);
    store_.set_campaign_limits(id, {1, 0, 0});
    EXPECT_EQ(store_.lift_tasks(id), 0);

    store_.resume_campaign(id);

    EXPECT_TRUE(claim("w1").empty());
    EXPECT_EQ(store_.lift_tasks(id), 1);
    EXPECT_EQ(labels_of(claim("w1")), "a");
}

TEST_P(StoreConformance, ACancelledCampaignLeavesNothingAndIsTriedAgain) {
    const std::string id = store_.create_campaign(campaign_of("r1", 3)).campaign_id;
    (void)submit_member(store_, id, 0, {"a"});
    (void)submit_member(store_, id, 1, {"b"});
    store_.pause_campaign(id);

    store_.cancel_campaign(id);
    store_.cancel_campaign(id);

    EXPECT_EQ(states_of(store_, id), "cancelled cancelled cancelled");
    EXPECT_EQ(store_.count_tasks().held + store_.count_tasks().blocked, 0);
    store_.retry_campaign(id);
    EXPECT_EQ(store_.get_campaign(id).state, CampaignState::Active);
    const auto waiting = store_.waiting_members(id, 0, 10);
    ASSERT_EQ(waiting.size(), 3U);
    EXPECT_EQ(waiting[0].round, 1);
    (void)store_.retry_job(waiting[0].job_id);
    store_.end_wait(id, waiting[0], "");
    store_.end_wait(id, waiting[2], "refused for good");
    EXPECT_EQ(waiting[2].job_id, "");
    EXPECT_EQ(states_of(store_, id), "active waiting refused");
    EXPECT_EQ(store_.list_members(id, MemberState::Refused, 9, "").rows.at(0).error,
              "refused for good");
    EXPECT_EQ(code_of([&] { store_.delete_campaign(id, ""); }), ErrorCode::NotReady);
}

TEST_P(StoreConformance, AnExtensionAddsWhatIsNew) {
    const std::string id = store_.create_campaign(campaign_of("r1", 1)).campaign_id;
    const std::string job = submit_member(store_, id, 0, {"a"}).job_id;
    store_.cancel_job(job);
    EXPECT_TRUE(store_.settle_campaign(id));
    EXPECT_EQ(store_.get_campaign(id).state, CampaignState::Failed);
    store::NewCampaign more = campaign_of("r2", 3);
    more.axes = "longer axes";

    (void)store_.extend_campaign(id, more);
    EXPECT_TRUE(store_.extend_campaign(id, more).replayed);

    EXPECT_EQ(states_of(store_, id), "cancelled waiting waiting");
    EXPECT_EQ(store_.get_campaign(id).state, CampaignState::Active);
    EXPECT_EQ(store_.get_campaign(id).axes, "longer axes");
    store::NewCampaign wrong = campaign_of("r3", 2);
    wrong.members[1].request = "another";
    EXPECT_EQ(code_of([&] { (void)store_.extend_campaign(id, wrong); }), ErrorCode::Conflict);
    EXPECT_EQ(store_.get_campaign(id).n_total, 3);
}

TEST_P(StoreConformance, JobsAndFilesOfACampaignAreKeptWhileItLives) {
    store::NewCampaign wanted = campaign_of("r1", 1);
    wanted.files = {"f1"};
    const std::string id = store_.create_campaign(wanted).campaign_id;
    const std::string job = submit_member(store_, id, 0, {"a"}).job_id;
    const std::vector<std::string> files{"f1"};
    store_.cancel_job(job);
    EXPECT_EQ(code_of([&] { store_.delete_job(job, ""); }), ErrorCode::NotReady);
    EXPECT_TRUE(store_.note_loose_files(files).empty());

    store_.cancel_campaign(id);
    store_.delete_job(job, "");

    EXPECT_EQ(store_.list_members(id, std::nullopt, 9, "").rows.at(0).error, "its job was deleted");
    EXPECT_TRUE(store_.note_loose_files(files).empty());
    EXPECT_EQ(code_of([&] { store_.delete_campaign(id, "old"); }), ErrorCode::Aborted);
    store_.delete_campaign(id, store::etag_of(store_.get_campaign(id)));
    EXPECT_EQ(store_.note_loose_files(files).size(), 1U);
    EXPECT_EQ(store_.list_audit(1, "").rows.at(0).method, "CreateCampaign")
        << "calls without an actor are kept of nobody";
}

TEST_P(StoreConformance, ACampaignIsOneDriversUntilItsTimeIsOver) {
    const std::string id = store_.create_campaign(campaign_of("r1", 1)).campaign_id;
    EXPECT_EQ(store_.take_campaigns("d1", 10), std::vector<std::string>{id});
    EXPECT_EQ(store_.take_campaigns("d1", 10).size(), 1U);
    EXPECT_TRUE(store_.take_campaigns("d2", 10).empty());
    advance(11);
    EXPECT_EQ(store_.take_campaigns("d2", 10).size(), 1U);
    EXPECT_TRUE(store_.take_campaigns("d1", 10).empty());
    store_.leave_campaigns("d2");
    EXPECT_EQ(store_.take_campaigns("d1", 10).size(), 1U);
    store_.pause_campaign(id);
    EXPECT_TRUE(store_.take_campaigns("d1", 10).empty());
}

// No task of a paused campaign starts that no other job wants, none stays held after resume,
// whatever happens in between; with work that members and other jobs share.
TEST_P(StoreConformance, HeldTasksFollowTheirCampaignUnderRandomOperations) {
    std::mt19937 random(20261123);
    const auto below = [&](std::size_t n) { return random() % n; };
    struct Mine {
        std::string id;
        std::int64_t next = 0;
        bool paused = false;
    };
    std::vector<Mine> campaigns;
    for (int k = 0; k < 2; ++k) {
        campaigns.push_back(
            {store_.create_campaign(campaign_of("r" + std::to_string(k), 40, k * 2)).campaign_id});
    }
    struct Wanted {
        std::string job;
        int campaign = -1;
        std::set<std::string> labels;
    };
    std::vector<Wanted> jobs;
    std::vector<ClaimedTask> held;
    const auto source = [&] { return "s" + std::to_string(below(12)); };
    const auto note = [&](const std::string& job, int campaign) {
        Wanted wanted{job, campaign, {}};
        for (const auto& item : store_.list_items(job, 100, "").rows) {
            wanted.labels.insert(item.label);
        }
        jobs.push_back(wanted);
    };
    const auto may_start = [&](const std::string& label) {
        return std::ranges::any_of(jobs, [&](const Wanted& one) {
            return one.labels.contains(label) &&
                   (one.campaign < 0 || !campaigns[static_cast<std::size_t>(one.campaign)].paused);
        });
    };
    for (int step = 0; step < 160; ++step) {
        const std::size_t k = below(2);
        Mine& campaign = campaigns[k];
        switch (below(10)) {
            case 0:
                campaign.paused ? store_.resume_campaign(campaign.id)
                                : store_.pause_campaign(campaign.id);
                campaign.paused = !campaign.paused;
                break;
            case 1:
            case 2:
                if (!campaign.paused && campaign.next < 40) {
                    const auto made = submit_member(store_, campaign.id, campaign.next++,
                                                    {source(), source() + "x"});
                    note(made.job_id, static_cast<int>(k));
                }
                break;
            case 3:
                note(store_.submit(batch_of("plain " + std::to_string(step), {source()})).job_id,
                     -1);
                break;
            case 4:
                if (!jobs.empty()) {
                    const std::string& job = jobs[below(jobs.size())].job;
                    (void)store_.cancel_job(job);
                }
                break;
            case 5:
                if (!jobs.empty()) {
                    const std::string& job = jobs[below(jobs.size())].job;
                    const auto state = store_.get_job(job).state;
                    if (state == JobState::Cancelled || state == JobState::Failed) {
                        (void)store_.retry_job(job);
                    }
                }
                break;
            case 6:
            case 7: {
                (void)store_.lift_tasks(campaign.id);
                const auto taken = claim("w1");
                for (const ClaimedTask& task : taken) {
                    EXPECT_TRUE(may_start(task.label)) << task.label << " at step " << step;
                }
                held.insert(held.end(), taken.begin(), taken.end());
                break;
            }
            default:
                if (!held.empty()) {
                    const std::size_t at = below(held.size());
                    const store::Held task = held[at].held();
                    const auto how = below(6);
                    if (how == 0) {
                        (void)store_.return_tasks("w1", {&task, 1});
                    } else if (how == 1) {
                        (void)store_.fail("w1", {task, "solver", "diverged", below(2) == 0, false});
                    } else {
                        (void)complete("w1", task);
                    }
                    held.erase(held.begin() + static_cast<std::ptrdiff_t>(at));
                }
        }
        for (Wanted& one : jobs) {  // what has ended wants nothing
            if (store_.look_at_job(one.job).state != JobState::Active) {
                one.labels.clear();
            } else if (one.labels.empty()) {
                for (const auto& item : store_.list_items(one.job, 100, "").rows) {
                    one.labels.insert(item.label);
                }
            }
        }
        const bool limited_holds = !campaigns[1].paused;
        if (!campaigns[0].paused && !campaigns[1].paused) {
            while (limited_holds && store_.lift_tasks(campaigns[1].id) > 0) {
            }
        }
    }
    for (Mine& campaign : campaigns) {
        store_.resume_campaign(campaign.id);
        store_.set_campaign_limits(campaign.id, {0, 0, 0});
    }
    EXPECT_EQ(store_.count_tasks().held, 0);
    for (const ClaimedTask& task : held) {
        (void)complete("w1", task.held());
    }
    for (int turn = 0; turn < 400; ++turn) {
        advance(1);
        const auto taken = claim("w1");
        for (const ClaimedTask& task : taken) {
            (void)complete("w1", task.held());
        }
        const auto counts = store_.count_tasks();
        if (taken.empty() && counts.ready + counts.blocked + counts.running == 0) {
            break;
        }
    }
    for (const Wanted& one : jobs) {
        EXPECT_NE(store_.get_job(one.job).state, JobState::Active);
    }
}

}  // namespace kaname::conformance::store_campaigns_suite
