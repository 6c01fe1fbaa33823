// SPDX-License-Identifier: BSD-3-Clause
// The agent and its solve session against a kaname-compute of a few lines of shell.
#include "tests/unit/worker/agent/agent_fixture.hpp"

namespace kaname::agent::agent_test {
namespace {

TEST_F(AgentTest, MeshSolveAndPackageAreDoneAndReported) {
    const FakeCompute compute(serving(kSolves));
    client_.packs = {once("mesh", {"mesh"}), in_session("solve", {"a", "b"}),
                     in_session("solve", {"a"}), once("package", {"package"})};

    run(compute, [&] { return client_.completed.size() == 4; });

    ASSERT_EQ(client_.completed.size(), 4U);
    EXPECT_EQ(client_.completed[0].sha256(), sha256_hex("mesh\n"));
    EXPECT_EQ(client_.completed[1].sha256(), sha256_hex("one\n"));
    EXPECT_TRUE(client_.completed[3].partial());  // exit code 4
    ASSERT_EQ(client_.failed.size(), 1U);
    EXPECT_EQ(client_.failed[0].message(), "slow");
    EXPECT_FALSE(client_.failed[0].retryable());
    // One process for both packs: the log names one process id.
    const std::size_t first = client_.log.find(" solves\n");
    ASSERT_NE(first, std::string::npos);
    const std::size_t line = client_.log.rfind('\n', first) + 1;
    const std::string said = client_.log.substr(line, first - line) + " solves\n";
    EXPECT_GT(client_.log.rfind(said), first);
    EXPECT_TRUE(client_.returned.empty());
}

TEST_F(AgentTest, TheLogIsThereBeforeTheEndIsToldAndNamesTheAttempt) {
    const FakeCompute compute(kOptions + R"sh(echo edges 1 to 9 km
      echo mesh > "$out"; echo '@kaname {"type":"result","verb":"mesh","result":{}}')sh");
    options_.name = "tester";
    client_.packs = {once("mesh", {"mesh"})};
    client_.packs.front().mutable_tasks(0)->set_attempt(2);
    client_.n_log_refusals = 1;

    run(compute, [&] { return client_.completed.size() == 1; });

    EXPECT_TRUE(client_.log_at_end.starts_with("== attempt 2 of mesh, worker tester on "))
        << client_.log_at_end;
    EXPECT_NE(client_.log_at_end.find("\nedges 1 to 9 km\n== done after "), std::string::npos)
        << client_.log_at_end;
}

TEST_F(AgentTest, ALongLogIsSentInPieces) {
    const FakeCompute compute(R"sh(seq 100000
      echo '@kaname {"type":"error","code":"InvalidArgument","message":"folded","violations":[]}'
      exit 2)sh");
    client_.packs = {once("mesh", {"mesh"})};

    run(compute, [&] { return client_.failed.size() == 1; });

    EXPECT_NE(client_.log_at_end.find("\n50000\n50001\n"), std::string::npos);
    EXPECT_NE(client_.log_at_end.find("\n100000\n== failed after "), std::string::npos);
    EXPECT_LE(client_.longest_log, 256U << 10U);
}

TEST_F(AgentTest, ACrashFailsThePackWithItsLastWords) {
    const FakeCompute compute(serving("echo out of luck >&2; kill -9 $$"));
    client_.packs = {in_session("solve", {"a", "b"})};

    run(compute, [&] { return client_.failed.size() == 2; });

    ASSERT_EQ(client_.failed.size(), 2U);
    EXPECT_EQ(client_.failed[0].error_class(), "crashed");
    EXPECT_TRUE(client_.failed[0].crashed());
    EXPECT_NE(client_.failed[0].message().find("out of luck"), std::string::npos);
    EXPECT_NE(client_.failed[0].message().find("signal 9"), std::string::npos);
}

TEST_F(AgentTest, BytesThatAreNoTextArriveAsText) {
    options_.name = "caf\xe9";
    const FakeCompute compute(serving(R"sh(
    printf 'broken \377 line\n' >&2
    printf '@kaname {"type":"progress","stage":"solve","fraction":0.5,"text":"half"}\n'
    kill -9 $$)sh"));
    client_.packs = {in_session("solve", {"a"})};

    run(compute, [&] { return client_.failed.size() == 1; });

    ASSERT_EQ(client_.failed.size(), 1U);
    EXPECT_EQ(client_.failed[0].error_class(), "crashed");
    EXPECT_NE(client_.failed[0].message().find("broken \uFFFD line"), std::string::npos);
    EXPECT_NE(client_.log.find("broken \uFFFD line"), std::string::npos);
}

TEST_F(AgentTest, AHangIsEnded) {
    const FakeCompute compute(serving("exec sleep 600"));
    client_.packs = {in_session("solve", {"a"})};

    run(
        compute, [&] { return client_.failed.size() == 1; }, 1s);

    ASSERT_EQ(client_.failed.size(), 1U);
    EXPECT_EQ(client_.failed[0].error_class(), "hung");
    EXPECT_TRUE(client_.failed[0].crashed());
}

TEST_F(AgentTest, ACancelledPackIsDroppedAndTheSessionGoesOn) {
    // The first pack waits for the cancel, which the loop reads as its next line.
    const FakeCompute compute(
        serving(R"sh(case "$line" in *'"a"'*) continue ;; esac)sh" + kSolves));
    client_.packs = {in_session("solve", {"a"}), in_session("solve", {"b"})};
    client_.cancels = {1};

    run(compute, [&] { return client_.failed.size() == 1; });

    EXPECT_TRUE(client_.completed.empty());
    ASSERT_EQ(client_.failed.size(), 1U);  // "b", which this compute calls slow
    EXPECT_EQ(client_.failed[0].ref().task_id(), 2);
}

TEST_F(AgentTest, BadInputIsNotTriedAgain) {
    const FakeCompute compute(
        R"(echo '@kaname {"type":"error","code":"InvalidArgument","message":"folded element","violations":[]}'; exit 2)");
    client_.packs = {once("mesh", {"mesh"})};

    run(compute, [&] { return client_.failed.size() == 1; });

    ASSERT_EQ(client_.failed.size(), 1U);
    EXPECT_EQ(client_.failed[0].message(), "folded element");
    EXPECT_FALSE(client_.failed[0].retryable());
}

TEST_F(AgentTest, BeingStoppedGivesTheTasksBack) {
    const FakeCompute compute(serving("exec sleep 600"));
    client_.packs = {in_session("solve", {"a", "b"})};

    run(compute, [&] { return client_.last_beat.held_size() == 2; });

    EXPECT_EQ(client_.returned, (std::vector<std::int64_t>{1, 2}));
    EXPECT_EQ(client_.time_limit_s, 0);
    EXPECT_TRUE(client_.failed.empty());
    EXPECT_EQ(client_.left, client_.registered);  // no lost worker
}

TEST_F(AgentTest, WhatOutlastsItsTimeIsGivenBackWithThatTime) {
    const FakeCompute compute(serving("exec sleep 600"));
    client_.packs = {in_session("solve", {"a"})};
    options_.leave_after = 200ms;
    options_.begun = std::chrono::steady_clock::now();

    run(compute, [&] {
        return client_.last_beat.held_size() == 1 &&
               std::chrono::steady_clock::now() - options_.begun > 500ms;
    });

    EXPECT_EQ(client_.returned, std::vector<std::int64_t>{1});
    EXPECT_EQ(client_.time_limit_s, 0.2);
}

TEST_F(AgentTest, BeingStoppedDoesNotWaitForAServerThatIsAway) {
    const FakeCompute compute(serving(kSolves));
    client_.packs = {in_session("solve", {"a"})};
    client_.n_refusals = 1000000;

    run(compute, [&] { return client_.n_refusals < 1000000; });

    EXPECT_EQ(client_.returned, std::vector<std::int64_t>{1});
}

TEST_F(AgentTest, WhatIsComputedIsUploadedBeforeItLeaves) {
    // The first pack is being uploaded and the second computed, when it is asked to stop.
    const FakeCompute compute(
        serving(R"sh(case "$line" in *'"c"'*) exec sleep 600 ;; esac)sh" + kSolves));
    client_.packs = {in_session("solve", {"a"}), in_session("solve", {"c"})};
    std::atomic<bool> putting = false;
    client_.on_put = [&](const std::string&) {
        putting = true;
        if (!stop_) {
            throw Error(ErrorCode::Unavailable, "slow");  // until the signal came
        }
    };

    run(compute, [&] { return putting && client_.packs.empty(); });

    ASSERT_EQ(client_.completed.size(), 1U);
    EXPECT_EQ(client_.completed[0].ref().task_id(), 1);
    EXPECT_EQ(client_.returned, std::vector<std::int64_t>{2});
    EXPECT_EQ(client_.left, client_.registered);
}

TEST_F(AgentTest, LeavingWaitsForUploadsNoLongerThanItsGrace) {
    const FakeCompute compute(serving(kSolves));
    client_.packs = {in_session("solve", {"a"})};
    options_.upload_grace = 1s;
    std::atomic<bool> asked = false;
    client_.on_put = [&](const std::string&) {
        asked = true;
        std::this_thread::sleep_for(400ms);
        throw Error(ErrorCode::Exhausted, "no room");  // which it waits for
    };
    const auto began = std::chrono::steady_clock::now();

    run(compute, [&] { return asked.load(); });

    EXPECT_LT(std::chrono::steady_clock::now() - began, 8s);
    EXPECT_EQ(client_.returned, std::vector<std::int64_t>{1});
}

TEST_F(AgentTest, AWorkerThatWasGivenUpRegistersAnew) {
    const FakeCompute compute(serving(kSolves));
    client_.known = false;

    run(compute, [&] { return client_.registered.size() == 2; });

    ASSERT_EQ(client_.registered.size(), 2U);
    EXPECT_NE(client_.registered[0], client_.registered[1]);
}

TEST_F(AgentTest, ADrainedAgentLeavesByItself) {
    const FakeCompute compute(serving(kSolves));
    client_.draining = true;
    AgentOptions options = options_;
    options.work = folder_.path() / "agent";
    options.compute = compute.program();
    Agent agent(options, client_, stop_, [](const std::string&) {});

    agent.run();

    EXPECT_EQ(client_.registered.size(), 1U);
    EXPECT_EQ(client_.left, client_.registered);
}

TEST_F(AgentTest, NoAnswerToAClaimMakesItLeave) {
    const FakeCompute compute(serving(kSolves));
    client_.packs = {once("mesh", {"mesh"})};
    client_.claim_errors = {ErrorCode::Internal, ErrorCode::InvalidArgument, ErrorCode::DataLoss,
                            ErrorCode::NotFound};

    run(compute, [&] { return client_.completed.size() == 1; });

    EXPECT_EQ(client_.completed.size(), 1U);
    EXPECT_EQ(client_.registered.size(), 2U);  // anew after NotFound
}

TEST_F(AgentTest, ATokenThatIsRefusedForLongMakesItLeave) {
    const FakeCompute compute(serving(kSolves));
    client_.claim_errors.assign(100, ErrorCode::Unauthenticated);
    AgentOptions options = options_;
    options.work = folder_.path() / "agent";
    options.compute = compute.program();
    options.no_server = 0s;
    Agent agent(options, client_, stop_, [](const std::string&) {});

    try {
        agent.run();
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Unauthenticated);
    }
}

TEST_F(AgentTest, ALostInputFailsItsTaskByNameAndTheNextIsDone) {
    const FakeCompute compute(serving(kSolves));
    client_.packs = {in_session("solve", {"a"}), once("mesh", {"mesh"})};
    const std::string lost = sha256_hex("mesh\n");
    bool was_away = false;
    client_.on_fetch = [&](const std::string& sha256) {
        if (sha256 == lost) {
            const bool away = !std::exchange(was_away, true);
            throw Error(away ? ErrorCode::Unavailable : ErrorCode::NotFound,
                        away ? "the server is away" : "not in the store");
        }
    };

    run(compute, [&] { return client_.completed.size() == 1; });

    ASSERT_EQ(client_.failed.size(), 1U);
    EXPECT_EQ(client_.failed[0].error_class(), "input_missing");
    EXPECT_EQ(client_.failed[0].message(), "input mesh (" + lost +
                                               ") cannot be had from the server: NotFound: "
                                               "not in the store");
    EXPECT_TRUE(client_.failed[0].retryable());
    EXPECT_EQ(client_.completed.size(), 1U);
}

TEST_F(AgentTest, AResultThatIsNoneFailsItsTask) {
    const FakeCompute compute(
        serving(R"(echo '@kaname {"type":"result","verb":"pack","result":{"id":"1"}}')"));
    client_.packs = {in_session("solve", {"a"}), once("mesh", {"mesh"})};

    run(compute, [&] { return client_.completed.size() == 1; });

    ASSERT_EQ(client_.failed.size(), 1U);
    EXPECT_EQ(client_.failed[0].error_class(), "unexpected");
    EXPECT_EQ(client_.completed.size(), 1U);
}

}  // namespace
}  // namespace kaname::agent::agent_test
