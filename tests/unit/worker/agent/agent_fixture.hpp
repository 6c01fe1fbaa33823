// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include "proto/spec/load.hpp"
#include "tests/support/fake_compute.hpp"
#include "tests/unit/worker/agent/fake_client.hpp"
#include "worker/agent/agent.hpp"

namespace kaname::agent {

using namespace std::chrono_literals;

// solve --serve: ready, then each pack as `on_pack` says ($id and $ids are set).
inline std::string serving(const std::string& on_pack) {
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

inline const std::string kSolves = R"sh(
    echo "$$ solves" >&2
    echo one > "$8/a"; echo two > "$8/b"
    echo '@kaname {"type":"progress","stage":"solve","fraction":0.5,"text":"half"}'
    echo '@kaname {"type":"result","verb":"pack","result":{"id":"'$id'","cancelled":false,"sources":[{"id":"a","file":"'$8'/a","failed":false,"failure":""},{"id":"b","file":"'$8'/b","failed":true,"failure":"slow"}]}}')sh";

class AgentTest : public testing::Test {
protected:
    AgentTest() { options_.device = "cpu"; }
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
        AgentOptions options = options_;
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

    AgentOptions options_;
    TemporaryFolder folder_;
    FakeClient client_;
    std::atomic<bool> stop_ = false;
    std::int64_t n_tasks_ = 0;
};

}  // namespace kaname::agent
