// SPDX-License-Identifier: BSD-3-Clause
// Every call of an agent against every answer that a server may give: the agent stays, each task
// ends or is seen to wait, and the work behind it is done.
#include <map>

#include "tests/unit/worker/agent/agent_fixture.hpp"

namespace kaname::agent::refusals_test {
namespace {

constexpr ErrorCode kAnswers[] = {
    ErrorCode::InvalidArgument, ErrorCode::OutOfRange,      ErrorCode::NotFound,
    ErrorCode::Conflict,        ErrorCode::NotReady,        ErrorCode::Aborted,
    ErrorCode::Exhausted,       ErrorCode::Unauthenticated, ErrorCode::PermissionDenied,
    ErrorCode::Unavailable,     ErrorCode::DataLoss,        ErrorCode::Internal,
};

const std::string kMeshes =
    kOptions +
    R"sh(echo mesh > "$out"; echo '@kaname {"type":"result","verb":"mesh","result":{}}')sh";

/// One agent with a server that answers a call so `n` times; then it takes all. A report that is
/// answered Aborted is of a task that is another worker's by now: one such answer is for one task.
struct Refused {
    std::string call;
    ErrorCode answer;
    int n = 2;
};

class RefusalsTest : public testing::TestWithParam<const char*> {
protected:
    /// Describes the outcome of two tasks, the first of which met the refusals.
    static std::string outcome(const Refused& refused, const std::filesystem::path& folder,
                               const FakeCompute& compute, const FakeCompute& broken) {
        FakeClient client;
        std::atomic<bool> stop = false, ended = false;
        std::atomic<int> left = refused.n;
        const auto refuse = [&] {
            if (left > 0) {
                --left;
                throw Error(refused.answer, "not now");
            }
        };
        if (refused.call == "Register") {
            client.on_register = [&](const auto&) { refuse(); };
        } else if (refused.call == "Claim") {
            client.claim_errors.assign(static_cast<std::size_t>(refused.n), refused.answer);
        } else if (refused.call == "Heartbeat") {
            client.on_beat = [&](const auto&) { refuse(); };
        } else if (refused.call == "Put") {
            client.on_put = [&](const std::string&) { refuse(); };
        } else if (refused.call == "Complete") {
            client.on_complete = [&](const auto&) { refuse(); };
        } else {
            client.on_fail = [&](const auto&) { refuse(); };
        }
        v1::ClaimResponse pack;
        pack.set_spec_sha256(client.add_file("{}"));
        *pack.add_tasks() = task_of(1, "mesh", "first", false);
        client.packs.push_back(pack);
        pack.clear_tasks();
        *pack.add_tasks() = task_of(2, "mesh", "second", false);
        client.packs.push_back(pack);
        AgentOptions options;
        options.device = "cpu";
        options.pools = {"cpu"};
        options.work = folder;
        options.compute = (refused.call == "Fail" ? broken : compute).program();
        options.full_store = std::chrono::seconds(0);
        Agent agent(options, client, stop, [](const std::string&) {});
        std::jthread runner([&] {
            try {
                agent.run();
            } catch (const std::exception&) {
            }
            ended = true;
        });
        const auto told = [&](std::int64_t id) {
            return std::ranges::any_of(client.completed,
                                       [&](const auto& r) { return r.ref().task_id() == id; }) ||
                   std::ranges::any_of(client.failed,
                                       [&](const auto& f) { return f.ref().task_id() == id; });
        };
        // Without a report it goes back: heartbeats lack it.
        const auto settled = [&] {
            return told(1) || std::ranges::none_of(client.last_beat.held(), [](const auto& ref) {
                       return ref.task_id() == 1;
                   });
        };
        const auto deadline = std::chrono::steady_clock::now() + 20s;
        while (!client.holds([&] { return told(2) && settled(); }) && !ended &&
               std::chrono::steady_clock::now() < deadline) {
            std::this_thread::sleep_for(5ms);
        }
        std::string result = ended ? "the agent left; " : "";
        {
            const std::lock_guard lock(client.mutex);
            result += told(2) ? "" : "the second task was not done; ";
            result += settled() ? "" : "the first task is held and not told; ";
        }
        stop = true;
        return result;
    }
};

TEST_P(RefusalsTest, NoAnswerEndsTheAgentOrLosesATask) {
    const TemporaryFolder folder;
    const FakeCompute compute(kMeshes), broken("exit 3");
    std::map<ErrorCode, std::string> outcomes;
    std::mutex mutex;
    {
        std::vector<std::jthread> cases;
        for (const ErrorCode answer : kAnswers) {
            cases.emplace_back([&, answer] {
                const std::string outcome = RefusalsTest::outcome(
                    {GetParam(), answer, answer == ErrorCode::Aborted ? 1 : 2},
                    folder.path() / std::string(to_string(answer)), compute, broken);
                const std::lock_guard lock(mutex);
                outcomes[answer] = outcome;
            });
        }
    }
    for (const auto& [answer, outcome] : outcomes) {
        EXPECT_EQ(outcome, "") << GetParam() << " answered with " << to_string(answer);
    }
    EXPECT_EQ(outcomes.size(), std::size(kAnswers));
}

INSTANTIATE_TEST_SUITE_P(Calls, RefusalsTest,
                         testing::Values("Register", "Claim", "Heartbeat", "Put", "Complete",
                                         "Fail"));

}  // namespace
}  // namespace kaname::agent::refusals_test
