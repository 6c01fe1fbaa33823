// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints between kaname-compute and the server: passed on, and offered to the next attempt.
#include "tests/unit/worker/agent/agent_fixture.hpp"

namespace kaname::agent::agent_checkpoint_test {
namespace {

/// Writes one of these bytes after `step` and says so.
std::string writes(const std::string& bytes, int step) {
    return "echo " + bytes +
           R"sh( > "$work/part"; mv "$work/part" "$work/checkpoint.h5"
    echo '@kaname {"type":"checkpoint","step":)sh" +
           std::to_string(step) + R"sh(,"file":"'$work'/checkpoint.h5","sources":["a","b"]}'
)sh";
}

TEST_F(AgentTest, WhatWasWrittenBeforeACrashIsThereBeforeTheTasksGoBack) {
    const FakeCompute compute(serving(writes("early", 3) + writes("late", 9) + "kill -9 $$"));
    client_.packs = {in_session("solve", {"a", "b"})};

    run(compute, [&] { return client_.failed.size() == 2; });

    ASSERT_FALSE(client_.checkpoints.empty());
    const auto& last = client_.checkpoints.back();
    EXPECT_EQ(last.step(), 9);
    EXPECT_EQ(client_.files.at(last.file().sha256()), "late\n");
    EXPECT_EQ(last.file().bytes(), 5);
    ASSERT_EQ(last.refs_size(), 2);
    EXPECT_EQ(last.refs(1).task_id(), 2);
    EXPECT_EQ(last.worker_id(), client_.registered.at(0));
    EXPECT_EQ(client_.failed_at_checkpoint, 0U) << "a task that went back takes none";
    // Nothing is left of what was passed on.
    const auto tasks = folder_.path() / "agent" / "tasks";
    for (const auto& entry : std::filesystem::directory_iterator(tasks)) {
        EXPECT_NE(entry.path().extension(), ".h5") << entry.path();
    }
}

TEST_F(AgentTest, AnEarlierAttemptsCheckpointLiesInTheWorkFolder) {
    const FakeCompute compute(
        serving(R"sh(cat "$work/checkpoint.h5" >&2 2>&1 || true)sh" + kSolves));
    v1::ClaimResponse again = in_session("solve", {"a", "b"});
    for (v1::Task& task : *again.mutable_tasks()) {
        task.mutable_checkpoint()->set_sha256(client_.add_file("state after step 7\n"));
        task.set_checkpoint_step(7);
    }
    client_.packs = {again};

    run(compute, [&] { return client_.completed.size() == 1; });

    EXPECT_NE(client_.log.find("state after step 7"), std::string::npos) << client_.log;
}

TEST_F(AgentTest, APackWithoutOneFindsNone) {
    const FakeCompute compute(
        serving(R"sh(ls "$work" | grep -c checkpoint | sed 's/^/found /' >&2)sh" + kSolves));
    v1::ClaimResponse with = in_session("solve", {"a"});
    with.mutable_tasks(0)->mutable_checkpoint()->set_sha256(client_.add_file("old\n"));
    client_.packs = {with, in_session("solve", {"b"})};

    run(compute, [&] { return client_.failed.size() == 1; });

    EXPECT_NE(client_.log.find("found 1"), std::string::npos) << client_.log;
    EXPECT_NE(client_.log.find("found 0"), std::string::npos) << client_.log;
}

TEST_F(AgentTest, ALostCheckpointIsNoReasonToFail) {
    const FakeCompute compute(serving(kSolves));
    v1::ClaimResponse with = in_session("solve", {"a"});
    with.mutable_tasks(0)->mutable_checkpoint()->set_sha256(std::string(64, '0'));
    client_.packs = {with};

    run(compute, [&] { return client_.completed.size() == 1; });

    EXPECT_EQ(client_.completed.size(), 1U);
}

}  // namespace
}  // namespace kaname::agent::agent_checkpoint_test
