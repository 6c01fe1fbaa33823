// SPDX-License-Identifier: BSD-3-Clause
// Tasks go on from their checkpoints after their worker was lost.
#include <algorithm>

#include "solvers/base/error.hpp"
#include "tests/conformance/store/store_suite.hpp"

namespace kaname::conformance::store_checkpoints_suite {
namespace {

using store::Checkpoint;
using store::ClaimedTask;
using store::Held;
using store::LeaseResult;

std::string hash(char letter) {
    return std::string(64, letter);
}

std::vector<Held> held_of(const std::vector<ClaimedTask>& tasks) {
    std::vector<Held> held;
    for (const ClaimedTask& task : tasks) {
        held.push_back(task.held());
    }
    return held;
}

LeaseResult put(store::Store& store, const std::string& worker,
                const std::vector<ClaimedTask>& tasks, char letter, int step) {
    const auto held = held_of(tasks);
    const LeaseResult begun = store.begin_checkpoint(worker, held, hash(letter));
    const LeaseResult result =
        store.set_checkpoint(worker, held, {hash(letter), 1000 + step, step});
    EXPECT_EQ(begun, result);
    return result;
}

std::optional<Checkpoint> of(store::Store& store, std::int64_t task_id) {
    return store.find_checkpoints({&task_id, 1}).at(0);
}

/// Told and removed are the same.
std::vector<std::string> forget(store::Store& store) {
    std::vector<std::string> removed;
    const auto told = store.forget_checkpoints(
        [&removed](const std::string& sha256) { removed.push_back(sha256); });
    EXPECT_EQ(told, removed);
    return told;
}

TEST_P(StoreConformance, TheNextAttemptIsOfferedTheLastCheckpoint) {
    submit({"a", "b"});
    const auto tasks = claim("w1");
    ASSERT_EQ(tasks.size(), 2U);
    EXPECT_FALSE(of(store_, tasks[0].task_id));

    EXPECT_EQ(put(store_, "w1", tasks, 'a', 3), LeaseResult::Ok);
    EXPECT_EQ(put(store_, "w1", tasks, 'b', 8), LeaseResult::Ok);
    advance(100);
    EXPECT_EQ(store_.reap().tasks_returned, 2);
    advance(1000);
    const auto again = claim("w2");

    ASSERT_EQ(again.size(), 2U);
    for (const ClaimedTask& task : again) {
        const auto found = of(store_, task.task_id);
        ASSERT_TRUE(found);
        EXPECT_EQ(found->sha256, hash('b'));
        EXPECT_EQ(found->bytes, 1008);
        EXPECT_EQ(found->step, 8);
    }
}

TEST_P(StoreConformance, ACheckpointOfALostWorkerIsRefused) {
    submit({"a"});
    const auto tasks = claim("w1");
    advance(100);
    (void)store_.reap();
    advance(1000);
    const auto again = claim("w2");

    EXPECT_EQ(put(store_, "w1", tasks, 'a', 3), LeaseResult::Lost);

    EXPECT_FALSE(of(store_, again.at(0).task_id));
    EXPECT_EQ(put(store_, "w2", again, 'b', 4), LeaseResult::Ok);
    EXPECT_EQ(of(store_, again.at(0).task_id)->step, 4);
}

TEST_P(StoreConformance, TasksWithAndWithoutACheckpointAreNotPackedTogether) {
    submit({"a", "b"});
    const auto tasks = claim("w1");
    EXPECT_EQ(put(store_, "w1", tasks, 'a', 3), LeaseResult::Ok);
    (void)store_.return_tasks("w1", held_of(tasks));
    submit({"c", "d"});

    const auto first = claim("w1");
    const auto second = claim("w1");

    ASSERT_EQ(first.size(), 2U);
    ASSERT_EQ(second.size(), 2U);
    EXPECT_EQ(of(store_, first[0].task_id).has_value(), of(store_, first[1].task_id).has_value());
    EXPECT_NE(of(store_, first[0].task_id).has_value(), of(store_, second[0].task_id).has_value());
}

TEST_P(StoreConformance, CheckpointsThatNobodyNeedsAreNamedOnce) {
    submit({"a", "b"});
    const auto tasks = claim("w1");
    EXPECT_EQ(put(store_, "w1", tasks, 'a', 3), LeaseResult::Ok);
    EXPECT_TRUE(forget(store_).empty());

    EXPECT_EQ(put(store_, "w1", tasks, 'b', 4), LeaseResult::Ok);
    EXPECT_EQ(forget(store_), std::vector<std::string>{hash('a')});
    EXPECT_EQ(complete("w1", tasks[0].held()), LeaseResult::Ok);
    EXPECT_TRUE(forget(store_).empty()) << "the other source may need it";
    EXPECT_EQ(complete("w1", tasks[1].held()), LeaseResult::Ok);

    EXPECT_EQ(forget(store_), std::vector<std::string>{hash('b')});
    EXPECT_TRUE(forget(store_).empty());
}

TEST_P(StoreConformance, ACheckpointOfACancelledJobIsForgotten) {
    const auto job = submit({"a"});
    EXPECT_EQ(put(store_, "w1", claim("w1"), 'a', 3), LeaseResult::Ok);

    (void)store_.cancel_job(job.job_id);

    EXPECT_EQ(forget(store_), std::vector<std::string>{hash('a')});
}

TEST_P(StoreConformance, ACheckpointThatNeverCameIsForgottenInTheEnd) {
    submit({"a"});
    const auto tasks = claim("w1");
    const auto held = held_of(tasks);
    EXPECT_EQ(store_.begin_checkpoint("w1", held, hash('c')), LeaseResult::Ok);
    EXPECT_TRUE(forget(store_).empty()) << "it may still come";

    advance(7201);

    EXPECT_EQ(forget(store_), std::vector<std::string>{hash('c')});
}

TEST_P(StoreConformance, ACheckpointThatIsPutAgainIsKeptUntilItIsNamed) {
    submit({"a"});
    const auto tasks = claim("w1");
    const auto held = held_of(tasks);
    EXPECT_EQ(put(store_, "w1", tasks, 'a', 3), LeaseResult::Ok);
    EXPECT_EQ(put(store_, "w1", tasks, 'b', 4), LeaseResult::Ok);  // nobody names a any more

    EXPECT_EQ(store_.begin_checkpoint("w1", held, hash('a')), LeaseResult::Ok);
    EXPECT_TRUE(forget(store_).empty()) << "its bytes may be there already";
    EXPECT_EQ(store_.set_checkpoint("w1", held, {hash('a'), 1003, 3}), LeaseResult::Ok);

    EXPECT_EQ(forget(store_), std::vector<std::string>{hash('b')});
}

TEST_P(StoreConformance, ACheckpointThatWasRemovedMeanwhileIsNotNamed) {
    submit({"a"});
    const auto tasks = claim("w1");
    const auto held = held_of(tasks);
    EXPECT_EQ(store_.begin_checkpoint("w1", held, hash('a')), LeaseResult::Ok);
    advance(7201);
    EXPECT_EQ(forget(store_), std::vector<std::string>{hash('a')});

    EXPECT_EQ(store_.set_checkpoint("w1", held, {hash('a'), 1003, 3}), LeaseResult::Lost);

    EXPECT_FALSE(of(store_, tasks.at(0).task_id));
}

TEST_P(StoreConformance, ACheckpointThatCouldNotBeRemovedIsToldAgain) {
    submit({"a"});
    const auto tasks = claim("w1");
    EXPECT_EQ(put(store_, "w1", tasks, 'a', 3), LeaseResult::Ok);
    complete("w1", tasks[0].held());

    EXPECT_THROW(store_.forget_checkpoints(
                     [](const std::string&) { throw Error(ErrorCode::Unavailable, "disk"); }),
                 Error);

    EXPECT_EQ(forget(store_), std::vector<std::string>{hash('a')});
}

}  // namespace
}  // namespace kaname::conformance::store_checkpoints_suite
