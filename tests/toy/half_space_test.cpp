// SPDX-License-Identifier: BSD-3-Clause
// The newcomer's test: a physics of its own goes through submit, claim, stream and download. What
// it took is what lies in this folder (docs/new_physics.md).
#include <atomic>
#include <cmath>
#include <map>
#include <thread>

#include <gtest/gtest.h>

#include "client/lib/client.hpp"
#include "server/artifacts/filesystem/filesystem_store.hpp"
#include "server/grpc/api_server.hpp"
#include "server/helpers/compute_process.hpp"
#include "server/store/rules.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "tests/support/memory_store/memory_store.hpp"
#include "tests/support/okada.hpp"
#include "tests/support/token_list.hpp"
#include "tests/toy/half_space.pb.h"
#include "tests/toy/request/half_space_kind.hpp"
#include "worker/agent/agent.hpp"
#include "worker/agent/lease/grpc_client.hpp"

namespace kaname::toy::half_space_test {
namespace {

const char* const kYaml = R"(schema: kaname.toy.HalfSpace
name: two-thrusts
lambda_pa: 3.0e10
mu_pa: 3.0e10
faults:
  - {name: north, x_km: 0, y_km: 20, top_depth_km: 2, strike_deg: 30, dip_deg: 20, length_km: 30, width_km: 15}
  - {name: south, x_km: 5, y_km: -20, top_depth_km: 4, strike_deg: 200, dip_deg: 60, length_km: 10, width_km: 8}
stations:
  - {id: A, x_km: 3, y_km: 1}
  - {id: B, x_km: -10, y_km: 25}
)";

/// Server, worker and client in this process; kaname-compute with one more kind beside it.
class HalfSpaceService : public testing::Test {
protected:
    HalfSpaceService()
        : kinds_(
              {&request::built_in_kinds().of_schema("kaname.v1.GreensBatch"), &half_space_kind()}),
          store_({}, [] { return 1000.0; }),
          artifacts_(folder_.path() / "artifacts", {.min_free_bytes = 0}),
          checkpoints_(folder_.path() / "checkpoints", {.min_free_bytes = 0}),
          compute_({.program = KANAME_TOY_COMPUTE, .scratch = folder_.path() / "helpers"}) {
        service::ApiOptions options;
        options.logs = folder_.path() / "logs";
        options.scratch = folder_.path() / "scratch";
        options.kinds = &kinds_;
        server_ = std::make_unique<rpc::ApiServer>(
            options,
            service::Backends{store_, artifacts_, checkpoints_, compute_, tokens_, running_});
        address_ = "127.0.0.1:" + std::to_string(server_->port());
        client_ = std::make_unique<client::Client>(
            client::Endpoint{address_, tokens_.issue("ann", auth::Role::User), "test"});
    }
    std::unique_ptr<request::Request> load(const std::string& yaml = kYaml) {
        const auto file = folder_.path() / "spec.yaml";
        write_file(file, yaml);
        return kinds_.load(file.string());
    }
    v1::Job submit() { return client_->submit(load()->message(), store::make_uuid(), 0, false); }
    /// Runs an agent while `work` does something else.
    void with_agent(const std::function<void()>& work) {
        agent::AgentOptions options;
        options.work = folder_.path() / "agent";
        options.compute = KANAME_TOY_COMPUTE;
        options.name = "toy";
        options.device = "cpu";
        options.pools = {request::kCpuPool};
        agent::GrpcWorkersClient lease({address_}, tokens_.issue("agent", auth::Role::Worker));
        std::atomic<bool> stop = false;
        agent::Agent agent(options, lease, stop, [](const std::string&) {});
        std::jthread runner([&] { agent.run(); });
        work();
        stop = true;
    }
    /// [station][component] m per m of dip slip, without any of the above.
    static std::vector<double> oracle(const HalfSpace& wanted, int fault) {
        const HalfSpace::Rectangle& one = wanted.faults(fault);
        std::vector<double> values;
        for (const HalfSpace::Point& at : wanted.stations()) {
            const Vec3 u = test::okada_displacement(
                {{one.x_m(), one.y_m(), -one.top_depth_m()},
                 one.strike_deg() * M_PI / 180.0,
                 one.dip_deg() * M_PI / 180.0,
                 one.length_m(),
                 one.width_m()},
                {.dip = 1.0}, test::okada_medium(wanted.lambda_pa(), wanted.mu_pa()),
                {at.x_m(), at.y_m(), 0.0});
            values.insert(values.end(), {u.x, u.y, u.z});
        }
        return values;
    }

    TemporaryFolder folder_;
    const request::Kinds kinds_;
    store::memory::MemoryStore store_;
    artifacts::FilesystemStore artifacts_, checkpoints_;
    helpers::ComputeProcess compute_;
    auth::TokenList tokens_;
    scheduler::FairShare share_;
    scheduler::RunningTasks running_{share_};
    std::unique_ptr<rpc::ApiServer> server_;
    std::string address_;
    std::unique_ptr<client::Client> client_;
};

TEST_F(HalfSpaceService, IsSubmittedClaimedStreamedAndDownloaded) {
    const auto request = load();
    const auto& wanted = dynamic_cast<const HalfSpace&>(request->message());
    const v1::Job submitted = submit();
    EXPECT_EQ(submitted.title(), "two-thrusts");
    EXPECT_EQ(submitted.report().created(), 3);
    EXPECT_GT(submitted.report().estimate().total_s(), 0.0);
    const std::string id = submitted.name().substr(submitted.name().find('/') + 1);

    std::map<std::string, std::vector<double>> streamed;
    std::vector<std::string> components;
    with_agent([&] {
        client_->stream_results(id, "", [&](const v1::GreensResult& result) {
            if (result.has_axes()) {
                components.assign(result.axes().components().begin(),
                                  result.axes().components().end());
                return;
            }
            EXPECT_EQ(result.error(), "");
            streamed[result.source()] = {result.displacement_m().begin(),
                                         result.displacement_m().end()};
        });
    });

    EXPECT_EQ(components, (std::vector<std::string>{"east", "north", "up"}));
    EXPECT_EQ(streamed["north"], oracle(wanted, 0));
    EXPECT_EQ(streamed["south"], oracle(wanted, 1));
    const v1::Job ended = client_->get_job(id);
    EXPECT_EQ(ended.state(), v1::Job::DONE);
    EXPECT_EQ(ended.counts().sources(), 2);
    const std::string file = folder_.path() / "greens.h5";
    client_->download(ended.dataset().sha256(), file, [](std::int64_t, std::int64_t) {});
    const io::GreensDataset dataset = io::read_greens_dataset(file);
    ASSERT_EQ(dataset.sources.size(), 2U);
    EXPECT_EQ(dataset.sources[1].id, "south");
    std::vector<double> both = oracle(wanted, 0);
    const std::vector<double> second = oracle(wanted, 1);
    both.insert(both.end(), second.begin(), second.end());
    EXPECT_EQ(dataset.greens, both);
    EXPECT_EQ(client_->get_dataset(id, false).content_hash(),
              half_space_kind().content_hash(wanted));

    EXPECT_EQ(submit().report().reused(), 3);  // under the same keys
}

TEST_F(HalfSpaceService, ItsLogsAndStagesAreThoseOfEveryJob) {
    const v1::Job submitted = submit();
    const std::string id = submitted.name().substr(submitted.name().find('/') + 1);
    with_agent([&] { client_->watch_job(id, [](const v1::JobUpdate&) {}); });

    const auto items = client_->list_items(id);
    ASSERT_EQ(items.size(), 3U);
    EXPECT_EQ(items[0].verb(), "displace");
    EXPECT_TRUE(items[0].source());
    EXPECT_EQ(items[2].verb(), "collect");
    EXPECT_FALSE(items[2].source());
    std::string log;
    client_->tail_logs(id, "south", false, [&](const std::string& text) { log += text; });
    EXPECT_NE(log.find("== done"), std::string::npos) << log;
}

TEST_F(HalfSpaceService, ItsSpecificationIsCheckedFieldByField) {
    std::string yaml = kYaml;
    yaml.replace(yaml.find("dip_deg: 20"), 11, "dip_deg: 95");
    yaml.replace(yaml.find("mu_pa: 3.0e10"), 13, "mu_pa: -1");
    try {
        (void)load(yaml);
        FAIL() << "accepted";
    } catch (const ValidationError& error) {
        ASSERT_EQ(error.violations().size(), 2U);
        EXPECT_EQ(error.violations()[0].field, "mu_pa");
        EXPECT_EQ(error.violations()[1].field, "faults[0].dip_deg");
    }
}

}  // namespace
}  // namespace kaname::toy::half_space_test
