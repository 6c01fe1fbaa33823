// SPDX-License-Identifier: BSD-3-Clause
// Stages of a job, retries, workers: the rest of what every Store does.
#include <algorithm>

#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "tests/conformance/store/store_suite.hpp"

namespace kaname::conformance::store_stages_suite {
namespace {

using store::ClaimedTask;
using store::Completion;
using store::ItemState;
using store::Job;
using store::JobState;
using store::LeaseResult;
using store::WantedItem;

const std::string kWorker = "00000000-0000-4000-8000-00000000000a";

std::string key_of(const std::string& seed) {
    return sha256_hex(seed);
}

/// Mesh, two sources and their dataset, as a batch has them.
std::vector<WantedItem> batch() {
    const std::string mesh = key_of("mesh"), a = key_of("a"), b = key_of("b");
    return {{a, "solve", "m", "gpu", {mesh}, "s00d00/dip_slip", "spec", {}, true},
            {b, "solve", "m", "gpu", {mesh}, "s01d00/dip_slip", "spec", {}, true},
            {mesh, "mesh", "", "gpu", {}, "mesh", "spec"},
            {key_of("package"), "package", "", "gpu", {mesh}, "package", "spec", {a, b}}};
}

}  // namespace

TEST_P(StoreConformance, PackageWaitsForTheEndOfItsSourcesWhateverItIs) {
    const std::string job = submit_items(batch()).job_id;
    complete(kWorker, claim(kWorker)[0].held(), "mesh file");
    const auto pack = claim(kWorker);
    ASSERT_EQ(pack.size(), 2U);
    EXPECT_EQ(pack[0].label, "s00d00/dip_slip");
    EXPECT_EQ(pack[0].payload, "spec");

    store_.fail(kWorker, {pack[0].held(), "NotConverged", "too slow", false});
    EXPECT_TRUE(claim(kWorker).empty());
    complete(kWorker, pack[1].held(), "result");
    const auto package = claim(kWorker);
    ASSERT_EQ(package.size(), 1U);
    EXPECT_EQ(package[0].verb, "package");
    const Completion partial{package[0].held(), key_of("dataset"), "file", 77, true};
    EXPECT_EQ(store_.complete(kWorker, {&partial, 1}).front(), LeaseResult::Ok);

    const Job ended = store_.get_job(job);
    EXPECT_EQ(ended.state, JobState::Failed);
    EXPECT_EQ(ended.n_sources, 2);
    EXPECT_EQ(ended.n_sources_done, 1);
    EXPECT_EQ(ended.n_sources_failed, 1);
    EXPECT_GT(ended.ended_s, 0);
    const auto items = store_.list_items(job, 10, "").rows;
    EXPECT_EQ(items[0].error, "NotConverged: too slow");
    EXPECT_EQ(items[3].sha256, key_of("dataset"));
    EXPECT_EQ(items[3].bytes, 77);
    EXPECT_FALSE(store_.find_artifact(key_of("package")));
    expect_consistent(job);
}

TEST_P(StoreConformance, PackageOfNothingFails) {
    const std::string job = submit_items(batch()).job_id;
    complete(kWorker, claim(kWorker)[0].held(), "mesh file");
    for (const ClaimedTask& task : claim(kWorker)) {
        store_.fail(kWorker, {task.held(), "NotConverged", "too slow", false});
    }

    EXPECT_EQ(store_.list_items(job, 10, "").rows[3].error, "no source was computed");
    EXPECT_EQ(store_.get_job(job).state, JobState::Failed);
    expect_consistent(job);
}

TEST_P(StoreConformance, WhatNeedsAFailedStageFailsWithIt) {
    const std::string job = submit_items(batch()).job_id;
    store_.fail(kWorker, {claim(kWorker)[0].held(), "input", "folded element", false});

    const auto items = store_.list_items(job, 10, "").rows;
    EXPECT_EQ(items[0].error, "a stage that it needs failed: input: folded element");
    EXPECT_EQ(items[3].error, "a stage that it needs failed: input: folded element");
    EXPECT_EQ(store_.get_job(job).state, JobState::Failed);
    EXPECT_EQ(store_.count_tasks().blocked, 0);
    expect_consistent(job);
}

TEST_P(StoreConformance, RetryComputesWhatFailedAndThePackageAgain) {
    const std::string job = submit_items(batch()).job_id;
    complete(kWorker, claim(kWorker)[0].held(), "mesh file");
    const auto pack = claim(kWorker);
    store_.fail(kWorker, {pack[0].held(), "NotConverged", "too slow", false});
    complete(kWorker, pack[1].held(), "result");
    const Completion partial{claim(kWorker)[0].held(), key_of("dataset"), "file", 77, true};
    store_.complete(kWorker, {&partial, 1});

    const Job again = store_.retry_job(job);
    EXPECT_EQ(again.state, JobState::Active);
    EXPECT_EQ(again.n_live, 2);
    EXPECT_EQ(again.n_sources_done, 1);
    EXPECT_EQ(store_.retry_job(job).event_seq, again.event_seq);
    const auto second = claim(kWorker);
    ASSERT_EQ(second.size(), 1U);
    EXPECT_EQ(second[0].content_key, key_of("a"));
    EXPECT_EQ(second[0].attempt, 1);
    complete(kWorker, second[0].held(), "result a");
    complete(kWorker, claim(kWorker)[0].held(), "whole dataset");

    const Job ended = store_.get_job(job);
    EXPECT_EQ(ended.state, JobState::Done);
    EXPECT_EQ(ended.n_sources_done, 2);
    EXPECT_TRUE(store_.find_artifact(key_of("package")));
    EXPECT_EQ(code_of([&] { store_.retry_job(job); }), ErrorCode::NotReady);
    expect_consistent(job);
}

TEST_P(StoreConformance, ASourceThatCrashesItsPackDoesNotSinkTheOthers) {
    const std::string job = submit({"bad", "good"}).job_id;
    for (int crash = 0; crash < 2; ++crash) {
        const auto pack = claim(kWorker);
        ASSERT_EQ(pack.size(), 2U);
        for (const ClaimedTask& task : pack) {
            const store::Failure failure{task.held(), "crashed", "signal 9", true, true};
            EXPECT_EQ(store_.fail(kWorker, failure), LeaseResult::Ok);
        }
        advance(60);
    }

    for (int turn = 0; turn < 2; ++turn) {
        const auto alone = claim(kWorker);
        ASSERT_EQ(alone.size(), 1U);
        if (alone[0].content_key == key_of("good")) {
            EXPECT_EQ(complete(kWorker, alone[0].held()), LeaseResult::Ok);
        } else {
            store_.fail(kWorker, {alone[0].held(), "crashed", "signal 9", true, true});
        }
    }

    const Job ended = store_.get_job(job);
    EXPECT_EQ(ended.state, JobState::Failed);
    EXPECT_EQ(ended.n_done, 1);
    EXPECT_EQ(ended.n_failed, 1);
    EXPECT_EQ(store_.list_items(job, 1, "").rows[0].error, "crashed: signal 9");
    expect_consistent(job);
}

TEST_P(StoreConformance, CancelledJobsCanBeRetried) {
    const std::string job = submit_items(batch()).job_id;
    store_.cancel_job(job);
    EXPECT_EQ(store_.count_tasks().blocked + store_.count_tasks().ready, 0);

    const Job again = store_.retry_job(job);

    EXPECT_EQ(again.n_live, 4);
    EXPECT_EQ(store_.count_tasks().ready, 1);
    EXPECT_EQ(store_.count_tasks().blocked, 3);
    expect_consistent(job);
}

TEST_P(StoreConformance, ARetryCountsWhatIsDoneReusedAndLive) {
    submit({"a"});
    complete(kWorker, claim(kWorker)[0].held());
    const std::string job = submit({"a", "b", "c"}).job_id;
    const auto fail_all = [&] {
        for (const ClaimedTask& task : claim(kWorker)) {
            store_.fail(kWorker, {task.held(), "NotConverged", "too slow", false});
        }
    };
    fail_all();

    const Job again = store_.retry_job(job);
    expect_consistent(job);
    store_.forget_artifact(key_of("a"));
    fail_all();
    const Job whole = store_.retry_job(job);

    EXPECT_EQ(again.n_live, 2);
    EXPECT_EQ(again.n_sources_done, 1);
    EXPECT_EQ(again.n_sources_reused, 1);
    EXPECT_EQ(again.n_sources_failed, 0);
    EXPECT_EQ(whole.n_live, 3);
    EXPECT_EQ(whole.n_sources_done, 0);
    EXPECT_EQ(whole.n_sources_reused, 0);
    expect_consistent(job);
}

TEST_P(StoreConformance, SecondJobReusesWhatIsThere) {
    submit_items(batch());
    complete(kWorker, claim(kWorker)[0].held(), "mesh file");
    const auto pack = claim(kWorker);
    for (const ClaimedTask& task : pack) {
        complete(kWorker, task.held(), task.label);
    }

    const store::SubmitResult second = submit_items(batch());
    EXPECT_EQ(second.n_created, 0);
    EXPECT_EQ(second.n_joined, 1);
    EXPECT_EQ(second.n_cached, 3);
    EXPECT_EQ(store_.get_job(second.job_id).n_sources_reused, 2);
    const auto items = store_.list_items(second.job_id, 10, "").rows;
    EXPECT_TRUE(items[0].reused);
    EXPECT_EQ(items[0].sha256, key_of("s00d00/dip_slip"));
    EXPECT_EQ(items[3].state, ItemState::Live);

    store_.forget_artifact(key_of("a"));
    EXPECT_EQ(submit_items(batch()).n_created, 1);
    const std::vector<std::string> keys = {key_of("a"), key_of("b"), key_of("none")};
    const auto found = store_.find_artifacts(keys);
    EXPECT_FALSE(found[0]);
    EXPECT_EQ(found[1]->sha256, key_of("s01d00/dip_slip"));
    EXPECT_FALSE(found[2]);
}

TEST_P(StoreConformance, DeleteNeedsAnEndedJobAndItsEtag) {
    const store::SubmitResult job = submit({"a"});
    const std::string stale = etag_of(store_.get_job(job.job_id));
    EXPECT_EQ(code_of([&] { store_.delete_job(job.job_id, ""); }), ErrorCode::NotReady);
    store_.cancel_job(job.job_id);

    EXPECT_EQ(code_of([&] { store_.delete_job(job.job_id, stale); }), ErrorCode::Aborted);
    store_.delete_job(job.job_id, etag_of(store_.get_job(job.job_id)));

    EXPECT_EQ(code_of([&] { (void)store_.get_job(job.job_id); }), ErrorCode::NotFound);
    EXPECT_TRUE(store_.list_jobs({}, 10, "").rows.empty());
}

TEST_P(StoreConformance, DrainingWorkersClaimNothingMore) {
    submit({"a"}, 0, "x");
    submit({"b"}, 0, "y");
    const auto held = claim(kWorker);

    store_.drain_worker(kWorker, true);

    EXPECT_TRUE(claim(kWorker).empty());
    const store::Held one = held[0].held();
    EXPECT_TRUE(store_.heartbeat(kWorker, {&one, 1}).draining);
    EXPECT_EQ(complete(kWorker, one), LeaseResult::Ok);
    EXPECT_EQ(code_of([&] { store_.drain_worker(kWorker.substr(1), true); }), ErrorCode::NotFound);
}

TEST_P(StoreConformance, ATaskThatIsGivenBackForEverFails) {
    const std::string job = submit({"a"}).job_id;
    int n_claims = 0;
    while (store_.get_job(job).state == JobState::Active && n_claims < 100) {
        const auto tasks = claim(kWorker);
        ASSERT_EQ(tasks.size(), 1U) << n_claims;
        EXPECT_EQ(tasks[0].attempt, std::max(1, ++n_claims - 5)) << "five are refunded";
        const store::Held held = tasks[0].held();
        EXPECT_EQ(store_.return_tasks(kWorker, {&held, 1}).front(), LeaseResult::Ok);
        EXPECT_EQ(store_.return_tasks(kWorker, {&held, 1}).front(), LeaseResult::Ok);
        advance(1000);
    }

    EXPECT_EQ(n_claims, 15);
    EXPECT_EQ(store_.list_items(job, 1, "").rows[0].error,
              "given up: its workers gave it back without a result or a reason 15 times");
    expect_consistent(job);
}

TEST_P(StoreConformance, ATaskThatHeartbeatsLackForEverFails) {
    const std::string job = submit({"a"}).job_id;
    int n_claims = 0;
    while (store_.get_job(job).state == JobState::Active && n_claims < 100) {
        ASSERT_EQ(claim(kWorker).size(), 1U) << n_claims;
        ++n_claims;
        store_.heartbeat(kWorker, {});
        store_.heartbeat(kWorker, {});
        advance(1000);
    }

    EXPECT_EQ(n_claims, 15);
    EXPECT_EQ(store_.get_job(job).state, JobState::Failed);
    expect_consistent(job);
}

TEST_P(StoreConformance, WorkersThatLeaveInOrderCostATaskNothing) {
    submit({"a"});
    for (int worker = 0; worker < 20; ++worker) {
        const std::string id = "worker " + std::to_string(worker);
        const auto tasks = claim(id);
        ASSERT_EQ(tasks.size(), 1U) << worker;
        EXPECT_EQ(tasks[0].attempt, 1);
        store_.drain_worker(id, true);
        const store::Held held = tasks[0].held();
        store_.return_tasks(id, {&held, 1});
    }
}

TEST_P(StoreConformance, ATaskThatOutlastsItsWorkersWithoutACheckpointFails) {
    const std::string job = submit({"a"}).job_id;
    const auto outlast = [&](int worker, double time_limit_s, int step) {
        const std::string id = "worker " + std::to_string(worker);
        const auto tasks = claim(id);
        ASSERT_EQ(tasks.size(), 1U) << worker;
        const store::Held held = tasks[0].held();
        if (step > 0) {
            const std::string hash(64, 'c');
            store_.begin_checkpoint(id, {&held, 1}, hash);
            ASSERT_EQ(store_.set_checkpoint(id, {&held, 1}, {hash, 1, step}), LeaseResult::Ok);
        }
        store_.drain_worker(id, true);
        EXPECT_EQ(store_.return_tasks(id, {&held, 1}, time_limit_s).front(), LeaseResult::Ok);
        EXPECT_EQ(store_.return_tasks(id, {&held, 1}, time_limit_s).front(), LeaseResult::Ok);
    };
    for (int worker = 0; worker < 4; ++worker) {
        outlast(worker, 600, 0);
        outlast(10 + worker, 0, 0);  // stopped for another reason, which counts for nothing
    }
    EXPECT_EQ(store_.parts_of_job(job, {}).cut_off.n, 4);
    EXPECT_EQ(store_.parts_of_job(job, {}).cut_off.time_limit_s, 600);
    outlast(20, 600, 7);
    EXPECT_EQ(store_.parts_of_job(job, {}).cut_off.n, 1) << "it came further: counted anew";

    for (int worker = 21; worker < 25; ++worker) {
        EXPECT_EQ(store_.get_job(job).state, JobState::Active);
        outlast(worker, 300, 0);
    }

    EXPECT_EQ(store_.list_items(job, 1, "").rows[0].error,
              "given up: 5 workers in a row came to the end of their time (300 s) before there was "
              "a checkpoint; let workers live longer (time_limit_minutes of the pool in Slurm) or "
              "ask for checkpoints sooner (output.checkpoint_interval_s), and retry the job");
    EXPECT_EQ(store_.parts_of_job(job, {}).cut_off.n, 0);
    expect_consistent(job);
}

TEST_P(StoreConformance, ProgressBeginsTheCountOfRefundsAnew) {
    submit({"a"});
    for (int turn = 0; turn < 20; ++turn) {
        const auto tasks = claim(kWorker);
        ASSERT_EQ(tasks.size(), 1U) << turn;
        EXPECT_EQ(tasks[0].attempt, 1);
        const store::Held held = tasks[0].held();
        const std::string hash(64, static_cast<char>('a' + turn % 6));
        store_.begin_checkpoint(kWorker, {&held, 1}, hash);
        EXPECT_EQ(store_.set_checkpoint(kWorker, {&held, 1}, {hash, 1, turn + 1}), LeaseResult::Ok);
        store_.return_tasks(kWorker, {&held, 1});
    }
}

TEST_P(StoreConformance, AWorkerThatEndsInOrderIsGoneButNotWithATaskInItsHands) {
    submit({"a"});
    const auto held = claim(kWorker);

    store_.remove_worker(kWorker);

    EXPECT_FALSE(store_.list_workers().at(0).gone);
    const store::Held task = held[0].held();
    (void)store_.return_tasks(kWorker, {&task, 1});
    store_.remove_worker(kWorker);
    store_.remove_worker(kWorker);  // again is harmless
    EXPECT_TRUE(store_.list_workers().at(0).gone);
    advance(60);
    EXPECT_EQ(store_.reap().workers_lost, 0);
    EXPECT_EQ(claim(kWorker).size(), 1U);  // registers anew
    EXPECT_FALSE(store_.list_workers().at(0).lost);
}

TEST_P(StoreConformance, WorkersAreListedWithWhatTheyHold) {
    submit({"a", "b"});
    claim(kWorker);
    const auto busy = store_.list_workers();
    ASSERT_EQ(busy.size(), 1U);
    EXPECT_EQ(busy[0].n_running, 2);
    EXPECT_FALSE(busy[0].lost);

    advance(60);
    store_.reap();

    const auto lost = store_.list_workers();
    ASSERT_EQ(lost.size(), 1U);
    EXPECT_TRUE(lost[0].lost);
    EXPECT_EQ(lost[0].n_running, 0);
    EXPECT_GE(lost[0].heartbeat_age_s, 60);
}

TEST_P(StoreConformance, ClaimsKeepToTheirPools) {
    submit({"a"});
    store_.register_worker({kWorker, "test"});
    const std::vector<std::string> gpu = {"cpu", "gpu"}, cpu = {"cpu"};

    EXPECT_TRUE(store_.claim({kWorker, cpu, "one", "", ""}).empty());
    EXPECT_TRUE(store_.ready_owners(cpu).empty());
    EXPECT_EQ(store_.ready_owners(gpu), std::vector<std::string>{"ann"});
    EXPECT_TRUE(store_.claim({kWorker, gpu, "two", "", "bob"}).empty());
    EXPECT_EQ(store_.claim({kWorker, gpu, "three", "", "ann"}).size(), 1U);
}

TEST_P(StoreConformance, AnotherArtifactStoreIsRefusedWithBothPlaces) {
    store_.use_artifact_store({"uuid 1", "one:/a"});
    store_.use_artifact_store({"uuid 1", "two:/mnt/a"});  // the same, seen from elsewhere

    try {
        store_.use_artifact_store({"uuid 2", "three:/b"});
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Conflict);
        for (const char* told : {"uuid 1", "two:/mnt/a", "uuid 2", "three:/b", "--artifacts"}) {
            EXPECT_NE(std::string(error.what()).find(told), std::string::npos) << error.what();
        }
    }
    store_.use_artifact_store({"uuid 1", "one:/a"});
}

TEST_P(StoreConformance, ClockAdvances) {
    const double before = store_.now_s();

    advance(10);

    EXPECT_NEAR(store_.now_s() - before, 10, 5);
}

}  // namespace kaname::conformance::store_stages_suite
