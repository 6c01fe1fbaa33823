// SPDX-License-Identifier: BSD-3-Clause
// Campaigns that are paused while everybody else is at work, and created in pieces meanwhile.
#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include "server/store/postgres/postgres_store.hpp"
#include "server/store/rules.hpp"
#include "solvers/base/error.hpp"
#include "tests/conformance/store/campaign_jobs.hpp"
#include "tests/conformance/store/postgres_fixture.hpp"

namespace kaname::conformance::postgres_campaigns_test {
namespace {

using store::PostgresStore;

class CampaignRaces : public PostgresTest {};

constexpr int kMembers = 30;

/// Sources of a member: two of its own, and one that other jobs want too.
std::vector<std::string> sources_of(int member) {
    const std::string name = "m" + std::to_string(member);
    return {name + "a", name + "b", "shared " + std::to_string(member % 5)};
}

TEST_F(CampaignRaces, ACancelThatIsStoppedStartsNothingAndGoesOnLater) {
    PostgresStore store(conninfo_, {.bulk_piece = 2}, 8);
    const std::string worker = store::make_uuid();
    store.register_worker({worker, "w"});
    const std::string id = store.create_campaign(campaign_of("r", 3)).campaign_id;
    for (int member = 0; member < 2; ++member) {
        (void)submit_member(store, id, member, sources_of(member));
    }

    store.cancel_campaign(id, {}, [] { return true; });

    const auto begun = store.get_campaign(id);
    EXPECT_EQ(begun.state, store::CampaignState::Cancelled);
    EXPECT_EQ(begun.work, "cancel");
    EXPECT_EQ(begun.n_active, 2);
    EXPECT_EQ(begun.n_cancelled, 1);
    EXPECT_TRUE(store.claim({worker, {"gpu"}, store::make_uuid(), "m", ""}).empty())
        << "also of the job that nobody came to";
    const auto taken = store.take_campaigns("driver", 30);
    ASSERT_EQ(taken, std::vector<std::string>{id});
    int n_calls = 0;
    for (; store.get_campaign(id).work == "cancel" && n_calls < 20; ++n_calls) {
        store.finish_campaign_work(id, [] { return true; });  // each does a piece
    }

    EXPECT_GT(n_calls, 2);
    const auto ended = store.get_campaign(id);
    EXPECT_EQ(ended.work, "");
    EXPECT_EQ(ended.n_cancelled, 3);
    EXPECT_EQ(store.count_tasks().ready, 0);
    EXPECT_TRUE(store::Connection(conninfo_).run("select from job_cancelling").empty());
}

TEST_F(CampaignRaces, APauseThatIsStoppedStartsNothingAndGoesOnLater) {
    PostgresStore store(conninfo_, {.bulk_piece = 2}, 8);
    const std::string worker = store::make_uuid();
    store.register_worker({worker, "w"});
    const auto claims = [&] {
        return !store.claim({worker, {"gpu"}, store::make_uuid(), "m", ""}).empty();
    };
    const std::string id = store.create_campaign(campaign_of("r", 2)).campaign_id;
    for (int member = 0; member < 2; ++member) {
        (void)submit_member(store, id, member, sources_of(member));
    }

    store.pause_campaign(id, {}, [] { return true; });

    EXPECT_EQ(store.get_campaign(id).work, "hold");
    EXPECT_FALSE(claims());
    store.finish_campaign_work(id);
    EXPECT_EQ(store.get_campaign(id).work, "");
    EXPECT_FALSE(claims());
    store.resume_campaign(id, {}, [] { return true; });
    EXPECT_EQ(store.get_campaign(id).work, "lift");
    store.finish_campaign_work(id);
    EXPECT_TRUE(claims());
}

TEST_F(CampaignRaces, ADeletionWithJobsThatIsStoppedGoesOnForWhoAskedForIt) {
    PostgresStore store(conninfo_, {.bulk_piece = 2}, 8);
    const std::string id = store.create_campaign(campaign_of("r", 3)).campaign_id;
    std::vector<std::string> jobs;
    for (int member = 0; member < 3; ++member) {
        jobs.push_back(submit_member(store, id, member, sources_of(member)).job_id);
    }
    store.cancel_campaign(id);
    const std::string etag = store::etag_of(store.get_campaign(id));
    const auto at_once = [] { return true; };

    store.delete_campaign_with_jobs(id, etag, {"olga", "admin"}, at_once);

    EXPECT_EQ(store.get_campaign(id).work, "delete");
    EXPECT_EQ(store.list_jobs({}, 10, "").rows.size(), 2U);
    EXPECT_THROW(store.retry_campaign(id), Error);
    store.delete_campaign_with_jobs(id, etag, {"olga", "admin"}, at_once);
    EXPECT_EQ(store.list_jobs({}, 10, "").rows.size(), 1U) << "asked for twice";
    ASSERT_EQ(store.take_campaigns("driver", 30), std::vector<std::string>{id});
    store::DatasetChange pin;
    pin.pinned = true;
    store.update_dataset(jobs[2], pin);
    store.finish_campaign_work(id);

    EXPECT_THROW((void)store.get_campaign(id), Error);
    EXPECT_EQ(store.list_jobs({}, 10, "").rows.size(), 1U) << "pinned meanwhile: anybody's now";
    store::AuditFilter of_olga;
    of_olga.principal = "olga";
    of_olga.method = "DeleteJob";
    EXPECT_EQ(store.list_audit(10, "", of_olga).rows.size(), 2U);
}

TEST_F(CampaignRaces, AJobThatEndedAsItsCancelBeganIsNotBeingCancelledAfterwards) {
    PostgresStore store(conninfo_, {.bulk_piece = 2}, 8);
    const std::string id = store.create_campaign(campaign_of("r", 1)).campaign_id;
    const std::string job = submit_member(store, id, 0, sources_of(0)).job_id;
    store.cancel_campaign(id, {}, [] { return true; });
    ASSERT_EQ(store.get_campaign(id).work, "cancel");
    ASSERT_NE(store.cancel_job(job).state, store::JobState::Active);
    store::Connection db(conninfo_);
    db.run("insert into job_cancelling (job_id, owner) select job_id, owner from job");

    store.finish_campaign_work(id);

    EXPECT_EQ(store.get_campaign(id).work, "");
    EXPECT_TRUE(db.run("select from job_cancelling").empty());
}

TEST_F(CampaignRaces, NothingOfAPausedCampaignStartsWhateverRaces) {
    PostgresStore store(conninfo_, {.bulk_piece = 2}, 8);
    const std::string id = store.create_campaign(campaign_of("r", kMembers)).campaign_id;
    std::atomic<int> epoch = 0;  // odd: a pause was answered, and no resume was asked for
    std::atomic<bool> done = false;
    std::atomic<int> n_begun_in_pause = 0, n_errors = 0, n_claimed = 0, n_pauses = 0;
    const auto guarded = [&](const std::function<void()>& body) {
        return [&, body] {
            try {
                body();
            } catch (const std::exception& error) {
                ++n_errors;
                ADD_FAILURE() << error.what();
            }
        };
    };
    const auto work = [&] {
        const std::string worker = store::make_uuid();
        std::mt19937 random(std::hash<std::string>{}(worker));
        store.register_worker({worker, "racer"});
        while (!done) {
            const int before = epoch;
            const auto pack = store.claim({worker, {"gpu"}, store::make_uuid(), "m", ""});
            const int after = epoch;
            for (const store::ClaimedTask& task : pack) {
                ++n_claimed;
                const bool own = task.label[0] == 'm' && task.label != "mesh";
                n_begun_in_pause += own && before == after && before % 2 == 1 ? 1 : 0;
                const store::Held held = task.held();
                if (random() % 6 == 0) {
                    (void)store.return_tasks(worker, {&held, 1});
                    continue;
                }
                const store::Completion completion{held, sha256_hex(task.content_key), "file", 1};
                (void)store.complete(worker, {&completion, 1});
            }
        }
    };
    const auto drive = [&] {
        for (int member = 0; member < kMembers && !done;) {
            try {
                (void)submit_member(store, id, member, sources_of(member));
                ++member;
            } catch (const Error& error) {
                if (error.code() != ErrorCode::NotReady) {
                    throw;
                }
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            }
        }
    };
    const auto others = [&] {
        for (int k = 0; k < 12 && !done; ++k) {
            const auto job = store.submit(
                batch_of("other " + std::to_string(k), {"shared " + std::to_string(k % 5)}));
            if (k % 2 == 0) {
                (void)store.cancel_job(job.job_id);
            }
        }
    };
    const auto pause = [&] {
        for (int k = 0; k < 8; ++k) {
            store.pause_campaign(id);
            ++epoch;
            ++n_pauses;
            std::this_thread::sleep_for(std::chrono::milliseconds(60));
            ++epoch;
            store.resume_campaign(id);
            std::this_thread::sleep_for(std::chrono::milliseconds(40));
        }
    };
    const auto ended = [&] {
        const auto campaign = store.get_campaign(id);
        return campaign.n_done == kMembers;
    };
    {
        std::vector<std::jthread> threads;
        threads.emplace_back(guarded(drive));
        threads.emplace_back(guarded(others));
        threads.emplace_back(guarded(work));
        threads.emplace_back(guarded(work));
        std::jthread(guarded(pause)).join();
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (n_errors == 0 && !ended() && std::chrono::steady_clock::now() < deadline) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        done = true;
    }

    EXPECT_EQ(n_begun_in_pause, 0);
    EXPECT_EQ(n_pauses, 8);
    EXPECT_GT(n_claimed, kMembers);
    EXPECT_TRUE(ended());
    EXPECT_EQ(store.count_tasks().held, 0);
    EXPECT_TRUE(store.settle_campaign(id));
}

}  // namespace
}  // namespace kaname::conformance::postgres_campaigns_test
