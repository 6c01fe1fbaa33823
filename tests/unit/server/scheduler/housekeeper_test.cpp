// SPDX-License-Identifier: BSD-3-Clause
#include "server/scheduler/housekeeper.hpp"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "tests/support/memory_store/memory_store.hpp"

namespace kaname::scheduler::housekeeper_test {
namespace {

class FakeLauncher final : public launcher::Launcher {
public:
    void start() override {
        if (broken) {
            throw Error(ErrorCode::Unavailable, "no agent today");
        }
        ++n_alive;
    }
    int alive() override { return n_alive; }
    void stop_all(std::chrono::seconds) override { n_alive = 0; }

    std::atomic<int> n_alive = 0;
    bool broken = false;
};

class HousekeeperTest : public ::testing::Test {
protected:
    void submit(int n_sources) { submit(n_sources, memory); }
    static void submit(int n_sources, store::Store& store) {
        store::Submission submission;
        submission.principal = submission.owner = "ada";
        submission.request_id = "request";
        submission.body_sha256 = std::string(64, 'b');
        submission.name = "job";
        submission.request = "{}";
        for (int source = 0; source < n_sources; ++source) {
            store::WantedItem item;
            item.content_key = std::to_string(1000 + source) + std::string(60, '0');
            item.verb = "solve";
            item.compat_key = "mesh";
            item.pool = "solve";
            item.label = "s" + std::to_string(source);
            item.payload = "p";
            submission.items.push_back(item);
        }
        store.submit(submission);
    }

    std::vector<store::ClaimedTask> claim(const std::string& worker) {
        store::RegisteredWorker registered;
        registered.worker_id = registered.name = worker;
        memory.register_worker(registered);
        store::ClaimRequest request;
        request.worker_id = worker;
        request.pools = {"solve", "cpu"};
        request.claim_id = worker + "-claim";
        return memory.claim(request);
    }

    void pass_for(double seconds) {
        for (double passed = 0; passed < seconds; passed += 1) {
            now_s += 1;
            housekeeper.pass();
        }
    }

    double now_s = 1000;
    store::memory::MemoryStore memory{{.lease_s = 30}, [this] { return now_s; }};
    store::memory::MemoryStore memory_of_short_lease{{.lease_s = 4}, [this] { return now_s; }};
    FakeLauncher agents;
    std::vector<std::string> lines, removed;
    Housekeeper housekeeper{
        memory,
        &agents,
        {.lease_s = 30,
         .reap_every_s = 5,
         .look_every_s = 1,
         .local = {.backlog = {.max_agents = 2}},
         .log = [this](const std::string& line) { lines.push_back(line); },
         .remove_checkpoint = [this](const std::string& sha256) { removed.push_back(sha256); }},
        [this] { return now_s; }};
};

TEST_F(HousekeeperTest, StartsAgentsForWaitingTasksWithinTheLimit) {
    housekeeper.pass();
    EXPECT_EQ(agents.n_alive, 0);

    submit(20);
    pass_for(3);

    EXPECT_EQ(agents.n_alive, 2);
}

TEST_F(HousekeeperTest, BusyAgentDoesNotCountAsFree) {
    submit(8);
    agents.n_alive = 1;
    claim("local-1");  // takes four

    pass_for(1);

    EXPECT_EQ(agents.n_alive, 2);
}

TEST_F(HousekeeperTest, RemovesCheckpointsThatNobodyNeeds) {
    submit(1);
    const store::Held held = claim("remote").at(0).held();
    const std::string old(64, 'a');
    const std::string kept(64, 'b');
    for (const std::string& sha256 : {old, kept}) {
        (void)memory.begin_checkpoint("remote", {&held, 1}, sha256);
        (void)memory.set_checkpoint("remote", {&held, 1}, {sha256, 10, 1});
    }

    pass_for(6);

    EXPECT_EQ(removed, std::vector<std::string>{old});
}

TEST_F(HousekeeperTest, TakesTasksBackFromASilentWorkerAfterItsLease) {
    submit(1);
    ASSERT_EQ(claim("remote").size(), 1U);

    pass_for(28);
    EXPECT_EQ(memory.count_tasks().running, 1);
    pass_for(12);

    EXPECT_EQ(memory.count_tasks().running, 0);
}

TEST_F(HousekeeperTest, TakesTasksBackSoonAfterAShortLease) {
    memory_of_short_lease.register_worker({"remote", "remote"});
    submit(1, memory_of_short_lease);
    Housekeeper short_lease{
        memory_of_short_lease, nullptr, {.lease_s = 4}, [this] { return now_s; }};
    const auto pass = [&](int n) {
        for (; n > 0; --n) {
            now_s += 1;
            short_lease.pass();
        }
    };
    pass(3);
    ASSERT_EQ(memory_of_short_lease.claim({"remote", {"solve"}, "claim"}).size(), 1U);

    pass(6);

    EXPECT_EQ(memory_of_short_lease.count_tasks().running, 0);
}

TEST_F(HousekeeperTest, NewServerGivesWorkersOfTheOneBeforeALease) {
    submit(1);
    ASSERT_EQ(claim("remote").size(), 1U);
    now_s += 600;  // the server was away; its workers could not send heartbeats

    pass_for(25);
    EXPECT_EQ(memory.count_tasks().running, 1);
    pass_for(15);

    EXPECT_EQ(memory.count_tasks().running, 0);
}

TEST_F(HousekeeperTest, FailedStartIsLoggedAndTriedAgainLater) {
    submit(1);
    agents.broken = true;
    pass_for(1);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_NE(lines[0].find("no agent today"), std::string::npos);

    agents.broken = false;
    pass_for(1);
    EXPECT_EQ(agents.n_alive, 0);
    pass_for(2);

    EXPECT_EQ(agents.n_alive, 1);
}

TEST_F(HousekeeperTest, ThreadMakesPassesUntilItIsStopped) {
    submit(4);

    housekeeper.start();
    for (int look = 0; look < 1000 && agents.alive() == 0; ++look) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    housekeeper.stop();

    EXPECT_EQ(agents.n_alive, 1);
}

/// A store that counts what it is asked for.
class CountingStore final : public store::memory::MemoryStore {
public:
    using MemoryStore::MemoryStore;
    std::vector<store::Drain> list_drains() override {
        ++n_drains;
        return MemoryStore::list_drains();
    }
    store::ReapResult reap() override {
        ++n_reaps;
        return MemoryStore::reap();
    }
    int n_drains = 0, n_reaps = 0;
};

TEST_F(HousekeeperTest, AsksLittleWhileAllIsQuietAndStillStartsAgents) {
    CountingStore counting({.lease_s = 30}, [this] { return now_s; });
    HousekeeperOptions options;
    options.local.host = "here";
    options.is_quiet = [] { return true; };
    int n_told = 0;
    options.on_more_ready = [&] { ++n_told; };
    Housekeeper calm(counting, &agents, options, [this] { return now_s; });

    const auto reaps_of = [&](int seconds) {
        const int before = counting.n_reaps;
        for (; seconds > 0; --seconds) {
            now_s += 1;
            calm.pass();
        }
        return counting.n_reaps - before;
    };

    EXPECT_LE(reaps_of(180), 3);
    EXPECT_LE(counting.n_drains, 12);
    EXPECT_EQ(n_told, 0);
    submit(1, counting);
    calm.pass();
    EXPECT_EQ(agents.n_alive, 1);
    EXPECT_EQ(n_told, 1) << "calls that wait hear of what another server was asked";
    counting.register_worker({"w", "w"});
    ASSERT_EQ(counting.claim({"w", {"solve"}, "claim"}).size(), 1U);
    EXPECT_GE(reaps_of(90), 3) << "somebody waits for the task of a worker that is silent";
}

TEST_F(HousekeeperTest, NoAgentIsStartedOnADrainedMachine) {
    using store::DrainKind;
    submit(1);
    HousekeeperOptions options;
    options.local.host = "here";
    options.log = [&](const std::string& line) { lines.push_back(line); };
    Housekeeper careful(memory, &agents, options, [this] { return now_s; });
    const auto pass = [&] {
        for (int n = 0; n < 20; ++n) {
            now_s += 1;
            careful.pass();
        }
    };
    const store::Drain machine{DrainKind::Host, "here", ""}, gpu{DrainKind::Gpu, "GPU-1", ""};
    memory.set_drain(machine, true);
    memory.set_drain({DrainKind::Host, "elsewhere", ""}, true);

    pass();
    EXPECT_EQ(agents.n_alive, 0);
    EXPECT_EQ(lines.back(), "no agent is started: host here is drained");

    store::RegisteredWorker registered{"w1", "local-1", "here"};
    registered.gpu_uuids = {"GPU-1"};
    memory.register_worker(registered);
    memory.set_drain(machine, false);
    memory.set_drain(gpu, true);
    pass();
    EXPECT_EQ(agents.n_alive, 0);
    EXPECT_EQ(lines.back(), "no agent is started: GPU GPU-1 is drained");

    memory.set_drain(gpu, false);
    pass();
    EXPECT_EQ(agents.n_alive, 1);
}

TEST_F(HousekeeperTest, NoAgentIsStartedWhereItWouldClaimNothing) {
    using store::CordonKind;
    submit(1);
    HousekeeperOptions options;
    options.local.host = "here";
    options.log = [&](const std::string& line) { lines.push_back(line); };
    Housekeeper careful(memory, &agents, options, [this] { return now_s; });
    const auto pass = [&] {
        for (int n = 0; n < 20; ++n) {
            now_s += 1;
            careful.pass();
        }
    };
    const store::Actor ann = {"ann", "operator"};
    const store::Cordon machine{CordonKind::Host, "here", "", "broken fan"};
    memory.set_cordon(machine, true, ann);
    memory.set_cordon({CordonKind::Host, "elsewhere", ""}, true, ann);

    pass();
    EXPECT_EQ(agents.n_alive, 0);
    EXPECT_EQ(lines.back(), "no agent is started: host here is cordoned by ann: broken fan");

    memory.set_cordon(machine, false, ann);
    pass();
    EXPECT_EQ(agents.n_alive, 1);
}

TEST_F(HousekeeperTest, WhatSilentWorkersLostIsTold) {
    submit(1);
    memory.register_worker({"w1", "w1"});
    EXPECT_FALSE(memory.claim({"w1", {"solve", "cpu", "gpu"}, "c1", "", ""}).empty());
    std::int64_t n_lost = 0;
    HousekeeperOptions options;
    options.on_reap = [&](const store::ReapResult& result) { n_lost += result.tasks_returned; };
    Housekeeper keeper(memory, nullptr, options, [this] { return now_s; });
    for (int n = 0; n < 120; ++n) {
        now_s += 1;
        keeper.pass();
    }

    EXPECT_EQ(n_lost, 1);
}

TEST_F(HousekeeperTest, AStepOfTheStoresClockCostsNoLiveWorker) {
    double step_s = 0;
    store::memory::MemoryStore stepping({.lease_s = 30}, [&] { return now_s + step_s; });
    store::RegisteredWorker registered{"w1", "w1"};
    stepping.register_worker(registered);
    Housekeeper keeper(stepping, nullptr, {}, [this] { return now_s; });
    const auto pass_beating = [&](int seconds, bool alive) {
        for (int n = 0; n < seconds; ++n) {
            now_s += 1;
            if (alive && n % 20 == 19) {  // a worker that is late, but not silent for a lease
                (void)stepping.heartbeat("w1", {});
            }
            keeper.pass();
        }
    };
    pass_beating(100, true);

    step_s = 3600;
    pass_beating(100, true);
    EXPECT_FALSE(stepping.list_workers().at(0).lost);

    pass_beating(100, false);
    EXPECT_TRUE(stepping.list_workers().at(0).lost);
}

TEST_F(HousekeeperTest, CrewsStartForTheirOwnPoolsAndTheEarlierComesFirst) {
    FakeLauncher cpu, solve, spare;
    Housekeeper keeper(memory, nullptr, {}, [this] { return now_s; });
    keeper.add_worker_pool(cpu,
                           {.backlog = {.max_agents = 5}, .agent_prefix = "c.", .pools = {"cpu"}});
    keeper.add_worker_pool(
        solve, {.backlog = {.max_agents = 3}, .agent_prefix = "s.", .pools = {"solve"}});
    keeper.add_worker_pool(
        spare, {.backlog = {.max_agents = 9}, .agent_prefix = "x.", .pools = {"cpu", "solve"}});
    submit(18);  // five packs

    keeper.pass();
    now_s += 1;
    keeper.pass();

    EXPECT_EQ(cpu.n_alive, 0);
    EXPECT_EQ(solve.n_alive, 3);
    EXPECT_EQ(spare.n_alive, 2);  // what the others do not take
}

}  // namespace
}  // namespace kaname::scheduler::housekeeper_test
