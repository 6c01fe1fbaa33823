// SPDX-License-Identifier: BSD-3-Clause
#include "tests/conformance/store/store_suite.hpp"

#include <atomic>
#include <set>
#include <thread>

#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"

namespace kaname::conformance {
namespace {

using store::ClaimedTask;
using store::Completion;
using store::Failure;
using store::HeartbeatReply;
using store::Held;
using store::Job;
using store::JobState;
using store::LeaseResult;
using store::Submission;
using store::SubmitResult;
using store::WantedItem;

const std::string kWorkerA = "00000000-0000-4000-8000-00000000000a";

std::string key_of(const std::string& seed) {
    return sha256_hex(seed);
}

WantedItem solve(const std::string& seed, const std::string& compat_key = "m") {
    return {key_of(seed), "solve", compat_key, "gpu", {}, "", "", {}, true};
}

Submission submission_of(std::vector<WantedItem> items, const std::string& request_id,
                         int priority = 0) {
    Submission submission;
    submission.principal = submission.owner = "ann";
    submission.request_id = request_id;
    submission.body_sha256 = key_of("body " + request_id);
    submission.name = "nankai";
    submission.request = "{}";
    submission.estimate = R"({"mesh_s": 1})";
    submission.priority = priority;
    submission.items = std::move(items);
    return submission;
}

}  // namespace

SubmitResult StoreConformance::submit_items(std::vector<WantedItem> items, int priority) {
    return store_.submit(
        submission_of(std::move(items), "request " + std::to_string(++n_requests_), priority));
}

SubmitResult StoreConformance::submit(const std::vector<std::string>& seeds, int priority,
                                      const std::string& compat_key) {
    std::vector<WantedItem> items;
    for (const std::string& seed : seeds) {
        items.push_back(solve(seed, compat_key));
    }
    return submit_items(std::move(items), priority);
}

std::vector<ClaimedTask> StoreConformance::claim(const std::string& worker,
                                                 const std::string& held) {
    store_.register_worker({worker, "test"});
    return store_.claim({worker, {"gpu"}, "claim " + std::to_string(++n_claims_), held, ""});
}

LeaseResult StoreConformance::complete(const std::string& worker, Held task,
                                       const std::string& sha256) {
    const Completion completion{task, key_of(sha256), "file", 1};
    return store_.complete(worker, {&completion, 1}).front();
}

ErrorCode StoreConformance::code_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.code();
    }
    ADD_FAILURE() << "no error";
    return ErrorCode::Internal;
}

std::set<std::string> StoreConformance::keys_of(const std::vector<ClaimedTask>& pack) {
    std::set<std::string> keys;
    for (const ClaimedTask& task : pack) {
        keys.insert(task.content_key);
    }
    return keys;
}

void StoreConformance::expect_consistent(const std::string& job_id) {
    const Job job = store_.get_job(job_id);
    EXPECT_EQ(job.n_total, job.n_done + job.n_failed + job.n_cancelled + job.n_live);
    const auto events = store_.list_events(job_id, 0, 1000);
    ASSERT_EQ(static_cast<std::int64_t>(events.size()), job.event_seq);
    for (std::size_t i = 0; i < events.size(); ++i) {
        EXPECT_EQ(events[i].seq, static_cast<std::int64_t>(i + 1));
    }
}

TEST_P(StoreConformance, ALookAtAJobIsTheJobWithoutItsSpecification) {
    const std::string job = submit({"a", "b"}).job_id;
    store::Job whole = store_.get_job(job);
    EXPECT_FALSE(whole.request.empty());
    whole.request.clear();

    const store::Job look = store_.look_at_job(job);

    EXPECT_EQ(look.request, "");
    EXPECT_EQ(store::etag_of(look), store::etag_of(whole));
    EXPECT_EQ(look.n_live, whole.n_live);
    EXPECT_EQ(look.name, whole.name);
    const std::vector<std::string> asked = {"no such job", job};
    EXPECT_EQ(store_.event_seqs(asked),
              (std::vector<std::optional<std::int64_t>>{std::nullopt, whole.event_seq}));
    EXPECT_THROW((void)store_.look_at_job("no such job"), Error);
}

TEST_P(StoreConformance, PartsOfAJobAreItsFewItemsAndTheSourcesAskedFor) {
    std::vector<WantedItem> items = {solve("a"), solve("b"), solve("c")};
    items.push_back({key_of("mesh"), "mesh", "", "gpu", {}, "the mesh", "", {}, false});
    const std::string job = submit_items(items).job_id;
    for (const ClaimedTask& task : claim(kWorkerA)) {
        if (task.content_key == key_of("b")) {
            EXPECT_EQ(complete(kWorkerA, task.held()), LeaseResult::Ok);
        }
    }
    const std::vector<std::string> asked = {key_of("c"), key_of("b"), key_of("none")};

    const store::JobParts parts = store_.parts_of_job(job, asked);

    ASSERT_EQ(parts.others.size(), 1U);
    EXPECT_EQ(parts.others[0].label, "the mesh");
    EXPECT_EQ(parts.source_verb, "solve");
    ASSERT_EQ(parts.live.size(), 1U);
    EXPECT_EQ(parts.live[0].content_key, key_of("c"));
    const std::vector<std::int64_t> ordinals = {3, 1};
    const auto some = store_.items_at(job, ordinals);
    ASSERT_EQ(some.size(), 2U);
    EXPECT_EQ(some[0].label, "the mesh");
    EXPECT_EQ(some[1].state, store::ItemState::Done);
    EXPECT_EQ(store_.find_item(job, "the mesh")->ordinal, 3);
    EXPECT_FALSE(store_.find_item(job, "no such label"));
    const std::vector<std::int64_t> beyond = {4};
    EXPECT_THROW((void)store_.items_at(job, beyond), Error);
    EXPECT_TRUE(store_.parts_of_job("no such job", asked).others.empty());
}

TEST_P(StoreConformance, EventsAreListedWithoutThoseOfCancelledItems) {
    const std::string job = submit({"a", "b"}).job_id;
    EXPECT_FALSE(store_.cancel_job(job).cancelling);

    const auto events = store_.list_events(job, 0, 10, false);

    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(events[0].type, store::EventType::Submitted);
    EXPECT_EQ(events[1].type, store::EventType::JobEnded);
    EXPECT_EQ(events[1].seq, 4);
}

TEST_P(StoreConformance, OneJobRunsToItsEnd) {
    const SubmitResult submitted = submit({"a", "b"});

    for (const ClaimedTask& task : claim(kWorkerA)) {
        EXPECT_EQ(complete(kWorkerA, task.held()), LeaseResult::Ok);
    }

    const Job job = store_.get_job(submitted.job_id);
    EXPECT_EQ(job.state, JobState::Done);
    EXPECT_EQ(job.n_done, 2);
    EXPECT_EQ(job.estimate, R"({"mesh_s": 1})");
    EXPECT_TRUE(store_.find_artifact(key_of("a")));
    EXPECT_EQ(store_.count_tasks().running, 0);
    expect_consistent(submitted.job_id);
}

TEST_P(StoreConformance, RepeatedRequestGetsTheFirstAnswer) {
    const Submission submission = submission_of({solve("a")}, "same");

    const SubmitResult first = store_.submit(submission);
    const SubmitResult second = store_.submit(submission);

    EXPECT_FALSE(first.replayed);
    EXPECT_TRUE(second.replayed);
    EXPECT_EQ(second.job_id, first.job_id);
    EXPECT_EQ(second.n_created, 1);
    EXPECT_EQ(store_.count_tasks().ready, 1);
}

TEST_P(StoreConformance, RequestIdWithAnotherBodyConflicts) {
    Submission submission = submission_of({solve("a")}, "same");
    store_.submit(submission);
    submission.body_sha256 = key_of("other");

    EXPECT_EQ(code_of([&] { store_.submit(submission); }), ErrorCode::Conflict);
}

TEST_P(StoreConformance, MalformedItemsAreNamed) {
    Submission submission = submission_of({solve("a"), solve("b")}, "bad");
    submission.items[1].needs = {key_of("c")};

    try {
        store_.submit(submission);
        FAIL() << "accepted";
    } catch (const ValidationError& error) {
        ASSERT_EQ(error.violations().size(), 1U);
        EXPECT_EQ(error.violations()[0].field, "items[1].needs");
    }
}

TEST_P(StoreConformance, LiveWorkIsJoinedAndFinishedWorkReused) {
    const SubmitResult first = submit({"a", "b"});
    const SubmitResult second = submit({"b", "c"});
    for (const ClaimedTask& task : claim(kWorkerA)) {
        complete(kWorkerA, task.held());
    }
    const SubmitResult third = submit({"a", "c"});

    EXPECT_EQ(second.n_joined, 1);
    EXPECT_EQ(second.n_created, 1);
    EXPECT_EQ(third.n_cached, 2);
    for (const SubmitResult& result : {first, second, third}) {
        EXPECT_EQ(store_.get_job(result.job_id).state, JobState::Done);
        expect_consistent(result.job_id);
    }
}

TEST_P(StoreConformance, SubmitRacingCompletionIsNeverStuck) {
    for (int round = 0; round < 60; ++round) {
        const std::string seed = "race " + std::to_string(round);
        const SubmitResult first = submit({seed});
        const Held held = claim(kWorkerA).front().held();
        std::atomic<int> at_start{0};
        const auto meet = [&] {
            ++at_start;
            while (at_start < 2) {
                std::this_thread::yield();
            }
        };
        SubmitResult second;

        std::thread joiner([&] {
            meet();
            second = store_.submit(submission_of({solve(seed)}, seed));
        });
        meet();
        const LeaseResult completed = complete(kWorkerA, held);
        joiner.join();

        ASSERT_EQ(completed, LeaseResult::Ok);
        ASSERT_EQ(second.n_joined + second.n_cached, 1);
        ASSERT_EQ(store_.get_job(first.job_id).state, JobState::Done);
        ASSERT_EQ(store_.get_job(second.job_id).state, JobState::Done);
    }
    EXPECT_EQ(store_.count_tasks().ready, 0);
}

TEST_P(StoreConformance, CancellingKeepsSharedWorkAlive) {
    const SubmitResult first = submit({"mine", "shared"});
    const SubmitResult second = submit({"shared"});
    const auto pack = claim(kWorkerA);
    std::vector<Held> held;
    for (const ClaimedTask& task : pack) {
        held.push_back(task.held());
    }

    const Job cancelled = store_.cancel_job(first.job_id);
    const HeartbeatReply reply = store_.heartbeat(kWorkerA, held);

    EXPECT_EQ(cancelled.state, JobState::Cancelled);
    EXPECT_EQ(cancelled.n_cancelled, 2);
    EXPECT_EQ(reply.cancels.size(), 1U);
    EXPECT_TRUE(reply.lost.empty());
    for (const ClaimedTask& task : pack) {
        const bool shared = task.content_key == key_of("shared");
        EXPECT_EQ(complete(kWorkerA, task.held()), shared ? LeaseResult::Ok : LeaseResult::Lost);
    }
    EXPECT_EQ(store_.get_job(second.job_id).state, JobState::Done);
    EXPECT_EQ(store_.cancel_job(second.job_id).state, JobState::Done);
    EXPECT_FALSE(store_.find_artifact(key_of("mine")));
    expect_consistent(first.job_id);
}

TEST_P(StoreConformance, BlockedStagesBecomeReadyInTurn) {
    const WantedItem mesh{key_of("mesh"), "mesh", "", "gpu"};
    WantedItem a = solve("a"), b = solve("b");
    a.needs = b.needs = {mesh.content_key};
    const WantedItem package{
        key_of("package"), "package", "", "gpu", {}, "", "", {a.content_key, b.content_key}};
    const SubmitResult job = submit_items({package, a, b, mesh});

    const auto first = claim(kWorkerA);
    EXPECT_EQ(keys_of(first), std::set{mesh.content_key});
    EXPECT_TRUE(claim(kWorkerA).empty());
    complete(kWorkerA, first[0].held());
    const auto second = claim(kWorkerA);
    ASSERT_EQ(second.size(), 2U);
    complete(kWorkerA, second[0].held());
    EXPECT_TRUE(claim(kWorkerA).empty());
    complete(kWorkerA, second[1].held());
    const auto third = claim(kWorkerA);
    ASSERT_EQ(third.size(), 1U);
    complete(kWorkerA, third[0].held());

    EXPECT_EQ(store_.get_job(job.job_id).state, JobState::Done);
}

TEST_P(StoreConformance, RetryableFailureComesBackAfterADelay) {
    submit({"a"});
    const Held held = claim(kWorkerA).front().held();
    const Failure failure{held, "hung", "no progress", true};

    EXPECT_EQ(store_.fail(kWorkerA, failure), LeaseResult::Ok);
    EXPECT_EQ(store_.fail(kWorkerA, failure), LeaseResult::Ok);
    EXPECT_TRUE(claim(kWorkerA).empty());
    advance(5);
    const auto again = claim(kWorkerA);

    ASSERT_EQ(again.size(), 1U);
    EXPECT_EQ(again[0].attempt, 2);
}

TEST_P(StoreConformance, FailureReachesEveryJoinedJobAndWhatWaits) {
    const WantedItem mesh{key_of("mesh"), "mesh", "", "gpu"};
    WantedItem a = solve("a");
    a.needs = {mesh.content_key};
    const SubmitResult first = submit_items({mesh, a});
    const SubmitResult second = submit_items({mesh});
    const Held held = claim(kWorkerA).front().held();

    const LeaseResult failed = store_.fail(kWorkerA, {held, "input", "folded element", false});

    EXPECT_EQ(failed, LeaseResult::Ok);
    EXPECT_EQ(store_.get_job(first.job_id).n_failed, 2);
    EXPECT_EQ(store_.get_job(first.job_id).state, JobState::Failed);
    EXPECT_EQ(store_.get_job(second.job_id).state, JobState::Failed);
    EXPECT_EQ(store_.list_items(second.job_id, 1, "").rows[0].error, "input: folded element");
    EXPECT_EQ(store_.count_tasks().blocked, 0);
    expect_consistent(first.job_id);
}

TEST_P(StoreConformance, PagesCoverTheListOnce) {
    std::set<std::string> submitted, listed;
    for (int i = 0; i < 5; ++i) {
        submitted.insert(submit({"page " + std::to_string(i)}).job_id);
    }

    auto page = store_.list_jobs({}, 2, "");
    const std::string token = page.next;
    std::size_t n_rows = page.rows.size();
    for (;;) {
        for (const Job& job : page.rows) {
            listed.insert(job.job_id);
        }
        if (page.next.empty()) {
            break;
        }
        page = store_.list_jobs({}, 2, page.next);
        n_rows += page.rows.size();
    }

    EXPECT_EQ(listed, submitted);
    EXPECT_EQ(n_rows, submitted.size());
    EXPECT_EQ(code_of([&] {
                  (void)store_.list_jobs({"bob", "", {}}, 2, token);
              }),
              ErrorCode::InvalidArgument);
    EXPECT_EQ(code_of([&] { (void)store_.get_job(kWorkerA); }), ErrorCode::NotFound);
}

TEST_P(StoreConformance, JobsAreListedByTheBeginningOfTheirIds) {
    std::vector<std::string> ids;
    for (int i = 0; i < 20; ++i) {
        ids.push_back(submit({"job " + std::to_string(i)}).job_id);
    }
    const auto listed = [&](const store::JobFilter& filter, int limit) {
        std::vector<std::string> found;
        std::string token;
        do {
            const auto page = store_.list_jobs(filter, limit, token);
            for (const Job& job : page.rows) {
                found.push_back(job.job_id);
            }
            token = page.next;
        } while (!token.empty());
        return found;
    };

    for (const std::string& begins : {ids[0].substr(0, 1), ids[3].substr(0, 4), ids[7]}) {
        std::vector<std::string> expected;
        for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
            if (id->starts_with(begins)) {
                expected.push_back(*id);
            }
        }
        EXPECT_EQ(listed({"", "", {}, begins}, 1), expected) << begins;
        EXPECT_EQ(listed({"ann", "", JobState::Active, begins}, 100), expected) << begins;
        EXPECT_TRUE(listed({"bob", "", {}, begins}, 100).empty());
    }
    EXPECT_TRUE(listed({"", "", {}, ids[0] + '0'}, 100).empty());
    EXPECT_EQ(code_of([&] {
                  (void)store_.list_jobs({"", "", {}, "1"}, 2, store_.list_jobs({}, 2, "").next);
              }),
              ErrorCode::InvalidArgument)
        << "a token of another listing";
}

}  // namespace kaname::conformance
