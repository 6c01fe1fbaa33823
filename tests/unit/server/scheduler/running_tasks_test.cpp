// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "server/scheduler/fair_share.hpp"

namespace kaname::scheduler::running_tasks_test {
namespace {

class RunningTasksTest : public ::testing::Test {
protected:
    static store::ClaimedTask task(std::int64_t id, std::int64_t fence = 1) {
        store::ClaimedTask task;
        task.task_id = id;
        task.fence = fence;
        task.owner = "ada";
        task.content_key = "key " + std::to_string(id);
        return task;
    }

    double now_s = 100;
    // Nothing decays within a test, and a charge in advance is one second.
    FairShare share{{.half_life_s = 1e12, .first_guess_s = 1}, [this] { return now_s; }};
    RunningTasks running{share, [this] { return now_s; }};
};

TEST_F(RunningTasksTest, SecondsOfAnAttemptAreChargedToItsOwner) {
    running.began("w", task(1));
    EXPECT_NEAR(share.use_s("ada"), 1, 1e-6);  // in advance
    now_s += 50;

    EXPECT_EQ(running.ended({1, 1}), "key 1");

    EXPECT_NEAR(share.use_s("ada"), 50, 1e-6);
    EXPECT_EQ(running.order({"ada", "bob"}), (std::vector<std::string>{"bob", "ada"}));
}

TEST_F(RunningTasksTest, ARepeatedAnswerOfAClaimChangesNothing) {
    running.began("w", task(1));
    now_s += 10;
    running.began("w", task(1));

    EXPECT_NEAR(share.use_s("ada"), 1, 1e-6);
    now_s += 10;
    running.ended({1, 1});
    EXPECT_NEAR(share.use_s("ada"), 20, 1e-6);
    EXPECT_EQ(running.ended({1, 1}), std::nullopt);
    EXPECT_NEAR(share.use_s("ada"), 20, 1e-6);
}

TEST_F(RunningTasksTest, AStaleAttemptEndsNothingOfTheNewOne) {
    running.began("lost", task(1, 1));
    now_s += 40;
    running.began("next", task(1, 3));
    now_s += 5;

    EXPECT_EQ(running.ended({1, 1}), std::nullopt);  // the lost worker's late word
    EXPECT_EQ(running.key_of("next", {1, 3}), "key 1");
    EXPECT_EQ(running.ended({1, 3}), "key 1");

    EXPECT_NEAR(share.use_s("ada"), 5, 1e-6);  // and not for what was lost
}

TEST_F(RunningTasksTest, OnlyTheHolderKnowsTheKey) {
    running.began("w", task(1, 2));

    EXPECT_EQ(running.key_of("w", {1, 2}), "key 1");
    EXPECT_EQ(running.key_of("other", {1, 2}), std::nullopt);
    EXPECT_EQ(running.key_of("w", {1, 1}), std::nullopt);
    EXPECT_EQ(running.key_of("w", {2, 2}), std::nullopt);
}

TEST_F(RunningTasksTest, WhatAnEarlierServerHandedOutIsChargedToNobody) {
    EXPECT_EQ(running.ended({7, 1}), std::nullopt);
    EXPECT_EQ(share.use_s("ada"), 0);
}

}  // namespace
}  // namespace kaname::scheduler::running_tasks_test
