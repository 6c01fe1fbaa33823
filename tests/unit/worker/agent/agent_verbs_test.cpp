// SPDX-License-Identifier: BSD-3-Clause
// Verbs, pools and inputs are what the server says: a verb that nobody here knows runs as any
// other.
#include "tests/unit/worker/agent/agent_fixture.hpp"

namespace kaname::agent::agent_verbs_test {
namespace {

/// Writes what it was given, in two words that it gets by hash and by label.
constexpr const char* kDreams = R"sh(
file=$(cat "$spec" | sed 's/.*"sha256":"\([^"]*\)".*/\1/')
sleep=$(grep '^sleep' "$inputs" | cut -f2)
said="$verb of $(cat "$files/$file") after $(cat "$sleep")")sh";

class AgentVerbsTest : public AgentTest {
protected:
    /// A request with a file, and an input.
    v1::ClaimResponse dreaming(v1::ClaimResponse claimed) {
        const std::string file = client_.add_file("sheep");
        claimed.set_spec_sha256(
            client_.add_file(R"({"schema":"Dream","file":{"sha256":")" + file + R"("}})"));
        v1::Input& named = *claimed.add_files();
        named.set_label("file");
        named.set_sha256(file);
        claimed.clear_inputs();
        v1::Input& input = *claimed.add_inputs();
        input.set_label("sleep");
        input.set_sha256(client_.add_file("deep sleep"));
        return claimed;
    }
    std::string result(std::size_t k) { return client_.files.at(client_.completed.at(k).sha256()); }
};

TEST_F(AgentVerbsTest, AnUnknownVerbRunsOnce) {
    const FakeCompute compute(kOptions + kDreams + R"sh(
printf %s "$said" > "$out"
echo '@kaname {"type":"result","verb":"dream","result":{}}')sh");
    client_.packs = {dreaming(once("dream", {"first"}))};

    run(compute, [&] { return client_.completed.size() == 1; });

    ASSERT_EQ(client_.completed.size(), 1U) << client_.log;
    EXPECT_EQ(result(0), "dream of sheep after deep sleep");
    EXPECT_FALSE(client_.completed[0].partial());
}

TEST_F(AgentVerbsTest, AnUnknownVerbRunsAsASession) {
    const FakeCompute compute(kOptions + kDreams + R"sh(
[ "$serve" = yes ] || exit 70
echo '@kaname {"type":"result","verb":"ready","result":{}}'
while read -r line; do
  id=$(echo "$line" | sed 's/.*"id":"\([^"]*\)".*/\1/')
  label=$(echo "$line" | sed 's/.*"sources":\["\([^"]*\)".*/\1/')
  printf %s "$label $$: $said" > "$work/$label"
  echo '@kaname {"type":"result","verb":"pack","result":{"id":"'$id'","sources":[{"id":"'$label'","file":"'$work/$label'"}]}}'
done)sh");
    client_.packs = {dreaming(in_session("dream", {"a"})), dreaming(in_session("dream", {"b"})),
                     dreaming(in_session("nap", {"c"}))};

    run(compute, [&] { return client_.completed.size() == 3; });

    ASSERT_EQ(client_.completed.size(), 3U) << client_.log;
    const auto process = [&](std::size_t k) {
        const std::string text = result(k);
        return text.substr(2, text.find(':') - 2);
    };
    EXPECT_EQ(result(0), "a " + process(0) + ": dream of sheep after deep sleep");
    EXPECT_EQ(result(1), "b " + process(0) + ": dream of sheep after deep sleep");
    // Another verb of the same compatibility key is another session.
    EXPECT_EQ(result(2), "c " + process(2) + ": nap of sheep after deep sleep");
    EXPECT_NE(process(2), process(0));
}

TEST_F(AgentVerbsTest, ThePoolsThatItWasGivenAreAskedFor) {
    const FakeCompute compute("true");

    run(compute, [&] { return client_.n_claims > 0; });

    EXPECT_EQ(std::vector<std::string>(client_.last_claim.pools().begin(),
                                       client_.last_claim.pools().end()),
              (std::vector<std::string>{"some", "more"}));
}

TEST_F(AgentVerbsTest, TasksThatRunOnceAndAreNotAloneFailByName) {
    const FakeCompute compute("true");
    client_.packs = {once("dream", {"first", "second"})};

    run(compute, [&] { return client_.failed.size() == 2; });

    ASSERT_EQ(client_.failed.size(), 2U);
    EXPECT_EQ(client_.failed[0].message(), "a task that runs once must be alone, got 2 of dream");
    EXPECT_FALSE(client_.failed[0].retryable());
}

}  // namespace
}  // namespace kaname::agent::agent_verbs_test
