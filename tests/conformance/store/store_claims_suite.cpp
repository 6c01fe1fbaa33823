// SPDX-License-Identifier: BSD-3-Clause
// Claims, leases and fences of every Store: who gets which tasks, and when they go to another
// worker.
#include <atomic>
#include <set>
#include <thread>

#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "tests/conformance/store/store_suite.hpp"

namespace kaname::conformance::store_claims_suite {
namespace {

using store::ClaimedTask;
using store::Completion;
using store::Held;
using store::LeaseResult;
using store::SubmitResult;

const std::string kWorkerA = "00000000-0000-4000-8000-00000000000a";
const std::string kWorkerB = "00000000-0000-4000-8000-00000000000b";

std::string key_of(const std::string& seed) {
    return sha256_hex(seed);
}

}  // namespace

TEST_P(StoreConformance, PackSharesKeyAndHoldsAtMostFour) {
    submit({"a", "b", "c", "d", "e"}, 0, "mesh 1");
    advance(1);  // of one moment, the first place of either job would go first
    submit({"f"}, 0, "mesh 2");

    const auto first = claim(kWorkerA);
    const auto second = claim(kWorkerA);
    const auto third = claim(kWorkerA);

    EXPECT_EQ(first.size(), 4U);
    ASSERT_EQ(second.size(), 1U);
    EXPECT_EQ(second[0].compat_key, "mesh 1");
    ASSERT_EQ(third.size(), 1U);
    EXPECT_EQ(third[0].content_key, key_of("f"));
    EXPECT_TRUE(claim(kWorkerA).empty());
}

TEST_P(StoreConformance, TasksWithoutKeyRunAlone) {
    submit({"a", "b"}, 0, "");

    EXPECT_EQ(claim(kWorkerA).size(), 1U);
}

TEST_P(StoreConformance, HigherPriorityRunsFirst) {
    submit({"low"}, 0, "x");
    submit({"high"}, 5, "y");

    EXPECT_EQ(keys_of(claim(kWorkerA)), std::set{key_of("high")});
}

TEST_P(StoreConformance, HeldKeyWinsWithinEqualPriorityUntilOthersAreOld) {
    submit({"a"}, 0, "x");
    submit({"b"}, 0, "y");
    submit({"c"}, 0, "y");
    submit({"d"}, -1, "z");

    EXPECT_EQ(claim(kWorkerA, "z").front().content_key, key_of("a"));
    submit({"e"}, 0, "v");
    EXPECT_EQ(claim(kWorkerA, "v").front().content_key, key_of("e"));
    submit({"f"}, 0, "w");
    advance(store::StoreOptions{}.prefer_held_s + 1);
    EXPECT_EQ(claim(kWorkerA, "w").front().compat_key, "y");
}

TEST_P(StoreConformance, LostClaimReplyIsReplayed) {
    submit({"a"});
    store_.register_worker({kWorkerA, "test"});
    store_.register_worker({kWorkerB, "test"});
    const store::ClaimRequest request{kWorkerA, {"gpu"}, "one", "", ""};

    const auto first = store_.claim(request);
    const auto second = store_.claim(request);
    const auto stolen = [&] { store_.claim({kWorkerB, {"gpu"}, "one", "", ""}); };

    ASSERT_EQ(first.size(), 1U);
    ASSERT_EQ(second.size(), 1U);
    EXPECT_EQ(second[0].held(), first[0].held());
    EXPECT_EQ(second[0].content_key, first[0].content_key);
    EXPECT_EQ(code_of(stolen), ErrorCode::Conflict);
}

TEST_P(StoreConformance, ARepeatedClaimGivesWhatIsStillItsWorkers) {
    submit({"a", "b", "c"});
    store_.register_worker({kWorkerA, "test"});
    const store::ClaimRequest request{kWorkerA, {"gpu"}, "one", "", ""};
    const auto pack = store_.claim(request);
    ASSERT_EQ(pack.size(), 3U);

    (void)complete(kWorkerA, pack[1].held());
    const store::Held given_back = pack[2].held();
    (void)store_.return_tasks(kWorkerA, {&given_back, 1});
    const auto again = store_.claim(request);

    ASSERT_EQ(again.size(), 1U);
    EXPECT_EQ(again[0].held(), pack[0].held());
}

TEST_P(StoreConformance, UnknownWorkerCannotClaim) {
    const auto call = [&] { store_.claim({kWorkerA, {"gpu"}, "one", "", ""}); };

    EXPECT_EQ(code_of(call), ErrorCode::NotFound);
    EXPECT_FALSE(store_.heartbeat(kWorkerA, {}).known);
}

TEST_P(StoreConformance, ConcurrentClaimersNeverShareATask) {
    constexpr int kTasks = 120;
    std::vector<std::string> seeds;
    for (int i = 0; i < kTasks; ++i) {
        seeds.push_back("task " + std::to_string(i));
    }
    submit(seeds);
    const std::vector<std::string> workers{kWorkerA, kWorkerB};
    std::vector<std::vector<std::int64_t>> got(workers.size());
    for (const std::string& worker : workers) {
        store_.register_worker({worker, "test"});
    }

    std::vector<std::thread> threads;
    for (std::size_t w = 0; w < workers.size(); ++w) {
        threads.emplace_back([&, w] {
            for (int i = 0; i < kTasks; ++i) {
                const std::string id = workers[w] + std::to_string(i);
                for (const auto& task : store_.claim({workers[w], {"gpu"}, id, "", ""})) {
                    got[w].push_back(task.task_id);
                }
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }

    std::set<std::int64_t> all(got[0].begin(), got[0].end());
    all.insert(got[1].begin(), got[1].end());
    EXPECT_EQ(got[0].size() + got[1].size(), static_cast<std::size_t>(kTasks));
    EXPECT_EQ(all.size(), static_cast<std::size_t>(kTasks));
}

TEST_P(StoreConformance, CompletionIsFencedAndRepeatable) {
    submit({"a"});
    const Held held = claim(kWorkerA).front().held();

    EXPECT_EQ(complete(kWorkerA, {held.task_id, held.fence + 1}), LeaseResult::Lost);
    EXPECT_EQ(complete(kWorkerB, held), LeaseResult::Lost);
    EXPECT_EQ(complete(kWorkerA, held), LeaseResult::Ok);
    EXPECT_EQ(complete(kWorkerA, held), LeaseResult::Ok);
    EXPECT_EQ(complete(kWorkerA, held, "other result"), LeaseResult::Lost);
    EXPECT_EQ(store_.find_artifact(key_of("a"))->sha256, key_of("r"));
}

TEST_P(StoreConformance, TaskAbsentFromTwoHeartbeatsGoesBack) {
    submit({"a"});
    const Held lost = claim(kWorkerA).front().held();

    store_.heartbeat(kWorkerA, {});
    EXPECT_EQ(store_.count_tasks().running, 1);
    store_.heartbeat(kWorkerA, {&lost, 1});
    store_.heartbeat(kWorkerA, {});
    EXPECT_EQ(store_.count_tasks().running, 1);
    store_.heartbeat(kWorkerA, {});
    EXPECT_EQ(store_.count_tasks().ready, 1);

    EXPECT_EQ(store_.heartbeat(kWorkerA, {&lost, 1}).lost, std::vector{lost.task_id});
    const ClaimedTask again = claim(kWorkerB).front();
    EXPECT_EQ(again.attempt, 1);
    EXPECT_GT(again.fence, lost.fence);
}

TEST_P(StoreConformance, ReturnedTaskIsNotCountedAsAnAttempt) {
    submit({"a"});
    const Held held = claim(kWorkerA).front().held();

    EXPECT_EQ(store_.return_tasks(kWorkerA, {&held, 1}).front(), LeaseResult::Ok);
    EXPECT_EQ(store_.return_tasks(kWorkerA, {&held, 1}).front(), LeaseResult::Ok);
    EXPECT_EQ(claim(kWorkerA).front().attempt, 1);
    EXPECT_EQ(complete(kWorkerA, held), LeaseResult::Lost);
}

TEST_P(StoreConformance, ReapTakesTasksOfSilentWorkersOnly) {
    submit({"a"}, 0, "x");
    submit({"b"}, 0, "y");
    const Held of_a = claim(kWorkerA).front().held();
    const Held of_b = claim(kWorkerB).front().held();
    advance(20);
    store_.heartbeat(kWorkerB, {&of_b, 1});
    advance(20);

    const store::ReapResult reaped = store_.reap();

    EXPECT_EQ(reaped.workers_lost, 1);
    EXPECT_EQ(reaped.tasks_returned, 1);
    EXPECT_FALSE(store_.heartbeat(kWorkerA, {}).known);
    EXPECT_EQ(complete(kWorkerA, of_a), LeaseResult::Lost);
    EXPECT_EQ(complete(kWorkerB, of_b), LeaseResult::Ok);
    EXPECT_EQ(code_of([&] { store_.register_worker({kWorkerA, "test"}); }), ErrorCode::Conflict);
    advance(10);
    EXPECT_GT(claim(kWorkerB).front().fence, of_a.fence + 1);
}

TEST_P(StoreConformance, AClockThatIsSetBackStopsNothing) {
    submit({"a"}, 0, "x");
    submit({"b"}, 0, "y");
    const Held of_a = claim(kWorkerA).front().held();
    store_.fail(kWorkerA, {of_a, "disk", "no room", true});
    (void)claim(kWorkerB);
    EXPECT_EQ(store_.after_clock_step(), 0) << "a usual wait is left alone";

    advance(-3600);
    EXPECT_EQ(store_.after_clock_step(), 3) << "the wait of a, and both workers' signs of life";

    EXPECT_EQ(claim(kWorkerA).size(), 1U);
    advance(31);
    store_.heartbeat(kWorkerA, {});
    EXPECT_EQ(store_.reap().workers_lost, 1) << "the silent one";
}

TEST_P(StoreConformance, PoisonTaskRunsAloneAndThenDies) {
    const SubmitResult job = submit({"a", "b"});
    std::size_t first_pack = 0;

    for (int crash = 0; crash < 2; ++crash) {
        const std::string worker = kWorkerA.substr(0, 35) + std::to_string(crash);
        first_pack = claim(worker).size();
        EXPECT_EQ(first_pack, 2U);
        advance(31);
        store_.reap();
        advance(60);
    }
    const auto alone = claim(kWorkerB);
    advance(31);
    const store::ReapResult reaped = store_.reap();

    ASSERT_EQ(alone.size(), 1U);
    EXPECT_EQ(reaped.tasks_dead, 1);
    EXPECT_EQ(store_.get_job(job.job_id).n_failed, 1);
    EXPECT_EQ(store_.get_job(job.job_id).n_live, 1);
    expect_consistent(job.job_id);
}

}  // namespace kaname::conformance::store_claims_suite
