// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include "tests/support/fake_compute.hpp"
#include "tests/unit/worker/agent/fake_options.hpp"
#include "tests/unit/worker/agent/lease/fake_client.hpp"
#include "worker/agent/agent.hpp"

namespace kaname::agent {

using namespace std::chrono_literals;

// solve --serve: ready, then each pack as `on_pack` says ($id is set).
inline std::string serving(const std::string& on_pack) {
    return kOptions + R"sh(case "$verb" in
mesh) echo mesh > "$out"; echo '@kaname {"type":"result","verb":"mesh","result":{}}' ;;
package) echo set > "$out"; echo '@kaname {"type":"result","verb":"package","result":{}}'; exit 4 ;;
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
    echo one > "$work/a"; echo two > "$work/b"
    echo '@kaname {"type":"progress","stage":"solve","fraction":0.5,"text":"half"}'
    echo '@kaname {"type":"result","verb":"pack","result":{"id":"'$id'","cancelled":false,"sources":[{"id":"a","file":"'$work'/a","failed":false,"failure":""},{"id":"b","file":"'$work'/b","failed":true,"failure":"slow"}]}}')sh";

class AgentTest : public testing::Test {
protected:
    AgentTest() {
        options_.device = "cpu";
        options_.pools = {"some", "more"};
    }
    v1::ClaimResponse once(const std::string& verb, const std::vector<std::string>& labels) {
        return pack(verb, labels, false);
    }
    v1::ClaimResponse in_session(const std::string& verb, const std::vector<std::string>& labels) {
        v1::ClaimResponse claimed = pack(verb, labels, true);
        v1::Input& input = *claimed.add_inputs();
        input.set_label("mesh");
        input.set_sha256(client_.add_file("mesh\n"));
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

private:
    v1::ClaimResponse pack(const std::string& verb, const std::vector<std::string>& labels,
                           bool session) {
        v1::ClaimResponse claimed;
        for (const std::string& label : labels) {
            *claimed.add_tasks() = task_of(++n_tasks_, verb, label, session);
        }
        claimed.set_spec_sha256(client_.add_file("{}"));
        return claimed;
    }
};

}  // namespace kaname::agent
