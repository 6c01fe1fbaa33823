// SPDX-License-Identifier: BSD-3-Clause
// The agent and its solve session against a kaname-compute of a few lines of shell.
#include "worker/agent/agent.hpp"

#include <gtest/gtest.h>

#include "proto/spec/load.hpp"
#include "tests/support/fake_compute.hpp"
#include "tests/unit/worker/agent/fake_client.hpp"

namespace kaname::agent {
namespace {

using namespace std::chrono_literals;

// solve --serve: ready, then each pack as `on_pack` says ($id and $ids are set).
std::string serving(const std::string& on_pack) {
    return R"sh(case "$1" in
mesh) echo mesh > "$5"; echo '@kaname {"type":"result","verb":"mesh","result":{}}' ;;
package) echo set > "$9"; echo '@kaname {"type":"result","verb":"package","result":{}}'; exit 4 ;;
solve)
  echo '@kaname {"type":"result","verb":"ready","result":{"dof":3}}'
  while read -r line; do
    id=$(echo "$line" | sed 's/.*"id":"\([^"]*\)".*/\1/')
    case "$line" in *'"cancel"'*)
      echo '@kaname {"type":"result","verb":"pack","result":{"id":"'$id'","cancelled":true,"sources":[]}}'
      continue ;;
    esac
    )sh" + on_pack +
           R"sh(
  done ;;
esac)sh";
}

const std::string kSolves = R"sh(
    echo "$$ solves" >&2
    echo one > "$8/a"; echo two > "$8/b"
    echo '@kaname {"type":"progress","stage":"solve","fraction":0.5,"text":"half"}'
    echo '@kaname {"type":"result","verb":"pack","result":{"id":"'$id'","cancelled":false,"sources":[{"id":"a","file":"'$8'/a","failed":false,"failure":""},{"id":"b","file":"'$8'/b","failed":true,"failure":"slow"}]}}')sh";

class AgentTest : public testing::Test {
protected:
    v1::ClaimResponse pack(v1::Item::Kind kind, std::vector<std::string> labels) {
        v1::ClaimResponse claimed;
        for (const std::string& label : labels) {
            *claimed.add_tasks() = task_of(++n_tasks_, kind, label);
        }
        claimed.set_spec_sha256(client_.add_file(spec::to_json(v1::GreensBatch())));
        if (kind != v1::Item::MESH) {
            v1::Input& input = *claimed.add_inputs();
            input.set_label("mesh");
            input.set_sha256(client_.add_file("mesh\n"));
        }
        return claimed;
    }
    /// Runs the agent until `enough` or ten seconds have passed.
    void run(const FakeCompute& compute, const std::function<bool()>& enough,
             std::chrono::seconds hang = 600s) {
        AgentOptions options;
        options.work = folder_.path() / "agent";
        options.compute = compute.program();
        options.hang = hang;
        Agent agent(options, client_, stop_, [](const std::string&) {});
        std::jthread runner([&] { agent.run(); });
        const auto deadline = std::chrono::steady_clock::now() + 10s;
        while (!client_.holds(enough) && std::chrono::steady_clock::now() < deadline) {
            std::this_thread::sleep_for(5ms);
        }
        stop_ = true;
    }

    TemporaryFolder folder_;
    FakeClient client_;
    std::atomic<bool> stop_ = false;
    std::int64_t n_tasks_ = 0;
};

TEST_F(AgentTest, MeshSolveAndPackageAreDoneAndReported) {
    const FakeCompute compute(serving(kSolves));
    client_.packs = {pack(v1::Item::MESH, {"mesh"}), pack(v1::Item::SOLVE, {"a", "b"}),
                     pack(v1::Item::SOLVE, {"a"}), pack(v1::Item::PACKAGE, {"package"})};

    run(compute, [&] { return client_.completed.size() == 4; });

    ASSERT_EQ(client_.completed.size(), 4U);
    EXPECT_EQ(client_.completed[0].sha256(), sha256_hex("mesh\n"));
    EXPECT_EQ(client_.completed[1].sha256(), sha256_hex("one\n"));
    EXPECT_TRUE(client_.completed[3].partial());  // exit code 4
    ASSERT_EQ(client_.failed.size(), 1U);
    EXPECT_EQ(client_.failed[0].message(), "slow");
    EXPECT_FALSE(client_.failed[0].retryable());
    EXPECT_NE(client_.log.find(" solves"), std::string::npos);
    // One process for both packs: the log names one process id.
    const std::string pid = client_.log.substr(0, client_.log.find(' '));
    EXPECT_EQ(client_.log.rfind(pid + " solves\n"), client_.log.rfind("solves") - pid.size() - 1);
    EXPECT_TRUE(client_.returned.empty());
}

TEST_F(AgentTest, ACrashFailsThePackWithItsLastWords) {
    const FakeCompute compute(serving("echo out of luck >&2; kill -9 $$"));
    client_.packs = {pack(v1::Item::SOLVE, {"a", "b"})};

    run(compute, [&] { return client_.failed.size() == 2; });

    ASSERT_EQ(client_.failed.size(), 2U);
    EXPECT_EQ(client_.failed[0].error_class(), "crashed");
    EXPECT_TRUE(client_.failed[0].crashed());
    EXPECT_NE(client_.failed[0].message().find("out of luck"), std::string::npos);
    EXPECT_NE(client_.failed[0].message().find("signal 9"), std::string::npos);
}

TEST_F(AgentTest, AHangIsEnded) {
    const FakeCompute compute(serving("exec sleep 600"));
    client_.packs = {pack(v1::Item::SOLVE, {"a"})};

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
    client_.packs = {pack(v1::Item::SOLVE, {"a"}), pack(v1::Item::SOLVE, {"b"})};
    client_.cancels = {1};

    run(compute, [&] { return client_.failed.size() == 1; });

    EXPECT_TRUE(client_.completed.empty());
    ASSERT_EQ(client_.failed.size(), 1U);  // "b", which this compute calls slow
    EXPECT_EQ(client_.failed[0].ref().task_id(), 2);
}

TEST_F(AgentTest, BadInputIsNotTriedAgain) {
    const FakeCompute compute(
        R"(echo '@kaname {"type":"error","code":"InvalidArgument","message":"folded element","violations":[]}'; exit 2)");
    client_.packs = {pack(v1::Item::MESH, {"mesh"})};

    run(compute, [&] { return client_.failed.size() == 1; });

    ASSERT_EQ(client_.failed.size(), 1U);
    EXPECT_EQ(client_.failed[0].message(), "folded element");
    EXPECT_FALSE(client_.failed[0].retryable());
}

TEST_F(AgentTest, BeingStoppedGivesTheTasksBack) {
    const FakeCompute compute(serving("exec sleep 600"));
    client_.packs = {pack(v1::Item::SOLVE, {"a", "b"})};

    run(compute, [&] { return client_.last_beat.held_size() == 2; });

    EXPECT_EQ(client_.returned, (std::vector<std::int64_t>{1, 2}));
    EXPECT_TRUE(client_.failed.empty());
}

TEST_F(AgentTest, BeingStoppedDoesNotWaitForAServerThatIsAway) {
    const FakeCompute compute(serving(kSolves));
    client_.packs = {pack(v1::Item::SOLVE, {"a"})};
    client_.n_refusals = 1000000;

    run(compute, [&] { return client_.n_refusals < 1000000; });

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
    AgentOptions options;
    options.work = folder_.path() / "agent";
    options.compute = compute.program();
    Agent agent(options, client_, stop_, [](const std::string&) {});

    agent.run();

    EXPECT_EQ(client_.registered.size(), 1U);
}

}  // namespace
}  // namespace kaname::agent
