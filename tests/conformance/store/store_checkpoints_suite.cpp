// SPDX-License-Identifier: BSD-3-Clause
// What tasks go on from after their worker was lost.
#include <algorithm>

#include "tests/conformance/store/store_suite.hpp"

namespace kaname::conformance {
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
    EXPECT_TRUE(store_.forget_checkpoints().empty());

    EXPECT_EQ(put(store_, "w1", tasks, 'b', 4), LeaseResult::Ok);
    EXPECT_EQ(store_.forget_checkpoints(), std::vector<std::string>{hash('a')});
    EXPECT_EQ(complete("w1", tasks[0].held()), LeaseResult::Ok);
    EXPECT_TRUE(store_.forget_checkpoints().empty()) << "the other source may need it";
    EXPECT_EQ(complete("w1", tasks[1].held()), LeaseResult::Ok);

    EXPECT_EQ(store_.forget_checkpoints(), std::vector<std::string>{hash('b')});
    EXPECT_TRUE(store_.forget_checkpoints().empty());
}

TEST_P(StoreConformance, ACheckpointOfACancelledJobIsForgotten) {
    const auto job = submit({"a"});
    EXPECT_EQ(put(store_, "w1", claim("w1"), 'a', 3), LeaseResult::Ok);

    (void)store_.cancel_job(job.job_id);

    EXPECT_EQ(store_.forget_checkpoints(), std::vector<std::string>{hash('a')});
}

TEST_P(StoreConformance, ACheckpointThatNeverCameIsForgottenInTheEnd) {
    submit({"a"});
    const auto tasks = claim("w1");
    const auto held = held_of(tasks);
    EXPECT_EQ(store_.begin_checkpoint("w1", held, hash('c')), LeaseResult::Ok);
    EXPECT_TRUE(store_.forget_checkpoints().empty()) << "it may still come";

    advance(7201);

    EXPECT_EQ(store_.forget_checkpoints(), std::vector<std::string>{hash('c')});
}

}  // namespace
}  // namespace kaname::conformance
