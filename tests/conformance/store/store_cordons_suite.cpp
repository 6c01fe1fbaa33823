// SPDX-License-Identifier: BSD-3-Clause
// Operators cordon and drain workers, and see their state.
#include "solvers/base/error.hpp"
#include "tests/conformance/store/store_suite.hpp"

namespace kaname::conformance::store_cordons_suite {
namespace {

using store::Cordon;
using store::CordonKind;

const store::Actor kAnn = {"ann", "operator"};
const std::string kWorker = "00000000-0000-4000-8000-00000000000a";
const std::string kNextWorker = "00000000-0000-4000-8000-00000000000b";
const std::string kGpu = "GPU-aaaaaaaa";

template <class Body>
ErrorCode code_of(Body&& body) {
    try {
        body();
    } catch (const Error& error) {
        return error.code();
    }
    return ErrorCode::Internal;
}

store::RegisteredWorker worker_of(const std::string& id, const std::string& host = "n7") {
    return {id, "test", host, "1", 1, 1, {kGpu}};
}

TEST_P(StoreConformance, ACordonedHostClaimsNothingAndStays) {
    submit({"a"});
    store_.register_worker(worker_of(kWorker));
    store_.set_cordon({CordonKind::Host, "n7", "", "broken fan"}, true, kAnn);

    const std::string text = "host n7 is cordoned by ann: broken fan";
    EXPECT_TRUE(store_.claim({kWorker, {"gpu"}, "c1", "", ""}).empty());
    EXPECT_EQ(store_.heartbeat(kWorker, {}).cordon, text);
    EXPECT_FALSE(store_.heartbeat(kWorker, {}).draining);
    EXPECT_EQ(store_.list_workers().at(0).cordon, text);
    store_.register_worker(worker_of(kNextWorker));  // as do those that come later
    EXPECT_TRUE(store_.claim({kNextWorker, {"gpu"}, "c2", "", ""}).empty());

    store_.set_cordon({CordonKind::Host, "n7", ""}, false, kAnn);
    EXPECT_EQ(store_.claim({kWorker, {"gpu"}, "c3", "", ""}).size(), 1U);
}

TEST_P(StoreConformance, ACordonOfAGpuIsOfTheGpuNotOfTheWorker) {
    submit({"a"});
    store_.register_worker(worker_of(kWorker));
    store_.set_cordon({CordonKind::Gpu, kGpu, "", "slow"}, true, kAnn);
    store_.remove_worker(kWorker);

    store_.register_worker(worker_of(kNextWorker, "n8"));

    EXPECT_EQ(store_.heartbeat(kNextWorker, {}).cordon,
              "gpu " + kGpu + " is cordoned by ann: slow");
    const auto cordons = store_.list_cordons();
    ASSERT_EQ(cordons.size(), 1U);
    EXPECT_EQ(cordons[0].by, "ann");
    EXPECT_GT(cordons[0].since_s, 0);
    store_.uncordon_gpu(kGpu, kAnn);
    EXPECT_EQ(store_.claim({kNextWorker, {"gpu"}, "c1", "", ""}).size(), 1U);
}

TEST_P(StoreConformance, ACordonOfAWorkerEndsWithIt) {
    submit({"a"});
    store_.register_worker(worker_of(kWorker));
    store_.register_worker(worker_of(kNextWorker));
    store_.set_cordon({CordonKind::Worker, kWorker, ""}, true, kAnn);

    EXPECT_EQ(store_.heartbeat(kWorker, {}).cordon, "worker " + kWorker + " is cordoned by ann");
    EXPECT_EQ(store_.list_cordons().size(), 1U);
    store_.remove_worker(kWorker);
    EXPECT_TRUE(store_.list_cordons().empty());
    EXPECT_EQ(store_.claim({kNextWorker, {"gpu"}, "c1", "", ""}).size(), 1U);
    EXPECT_EQ(code_of([&] {
                  store_.set_cordon({CordonKind::Worker, kWorker, ""}, true, kAnn);
              }),
              ErrorCode::NotFound);
}

TEST_P(StoreConformance, CordonsAreChangedLiftedAndKept) {
    store_.register_worker(worker_of(kWorker));
    for (const char* reason : {"first", "second"}) {
        store_.set_cordon({CordonKind::Host, "n7", "", reason}, true, kAnn);
    }
    EXPECT_EQ(store_.list_cordons().at(0).reason, "second");
    store_.set_cordon({CordonKind::Host, "n7", ""}, false, kAnn);
    EXPECT_EQ(code_of([&] {
                  store_.set_cordon({CordonKind::Host, "n7", ""}, false, kAnn);
              }),
              ErrorCode::NotFound);

    const auto events = store_.list_audit(10, "", {.resource = "hosts/"}).rows;
    ASSERT_EQ(events.size(), 3U);
    EXPECT_EQ(events[0].method, "UncordonHost");
    EXPECT_EQ(events[1].outcome, "ok: second");
    EXPECT_EQ(events[1].principal, "ann");
}

TEST_P(StoreConformance, WhatFaultsCordonedNobodyTakesOver) {
    store_.register_worker(worker_of(kWorker));
    const std::vector<store::GpuFault> faults = {
        {"1", kGpu, "x"}, {"2", kGpu, "y"}, {"3", kGpu, "z"}};
    const std::string why = store_.record_gpu_faults(kWorker, faults);
    store_.set_cordon({CordonKind::Gpu, kGpu, "", "mine"}, true, kAnn);

    EXPECT_EQ(store_.heartbeat(kWorker, {}).cordon, why);
    EXPECT_EQ(store_.list_cordons().at(0).by, "");
    EXPECT_EQ(store_.list_cordons().at(0).host, "n7");
    const std::vector<std::string> gpus = {kGpu, "GPU-none"};
    EXPECT_EQ(store_.list_gpu_faults(gpus).at(kGpu).size(), 3U);
    store_.set_cordon({CordonKind::Gpu, kGpu, ""}, false, kAnn);
    EXPECT_TRUE(store_.list_gpu_faults(gpus).empty());
}

TEST_P(StoreConformance, DrainsSayWhyAndByWhom) {
    store_.register_worker(worker_of(kWorker));
    store_.set_drain({store::DrainKind::Host, "n7", "", "new memory"}, true, kAnn);

    EXPECT_EQ(store_.list_workers().at(0).drain, "host n7: new memory");
    EXPECT_EQ(store_.list_drains().at(0).by, "ann");
    store_.set_drain({store::DrainKind::Host, "n7", ""}, false, kAnn);
    store_.drain_worker(kWorker, true, kAnn, "my turn");
    EXPECT_EQ(store_.list_workers().at(0).drain, "my turn");
    store_.drain_worker(kWorker, false, kAnn);
    EXPECT_EQ(store_.list_workers().at(0).drain, "");
    std::vector<std::string> outcomes;  // newest first
    for (const store::AuditEvent& event : store_.list_audit(10, "").rows) {
        outcomes.push_back(event.outcome);
    }
    EXPECT_EQ(outcomes, (std::vector<std::string>{"ok", "ok: my turn", "ok", "ok: new memory"}));
}

TEST_P(StoreConformance, TheAuditIsFiltered) {
    store_.record({.principal = "ann",
                   .role = "operator",
                   .method = "SetQuota",
                   .resource = "owners/bob",
                   .outcome = "ok"});
    store_.record({.principal = "bob",
                   .role = "user",
                   .method = "DeleteJob",
                   .resource = "jobs/1",
                   .outcome = "refused: not yours"});
    const auto n = [&](const store::AuditFilter& filter) {
        return store_.list_audit(10, "", filter).rows.size();
    };
    EXPECT_EQ(n({}), 2U);
    EXPECT_EQ(n({.principal = "ann"}), 1U);
    EXPECT_EQ(n({.method = "DeleteJob"}), 1U);
    EXPECT_EQ(n({.resource = "jobs/"}), 1U);
    EXPECT_EQ(n({.resource = "%"}), 0U);
    EXPECT_EQ(n({.refused = true}), 1U);
    const double at_s = store_.list_audit(10, "").rows.at(0).at_s;
    EXPECT_EQ(n({.from_s = at_s + 100}), 0U);
    EXPECT_EQ(n({.until_s = at_s + 100}), 2U);
}

TEST_P(StoreConformance, FailuresAreListedWithWhatFailed) {
    submit({"a"});
    store_.register_worker(worker_of(kWorker));
    const auto task = store_.claim({kWorker, {"gpu"}, "c1", "", ""}).at(0);
    EXPECT_GE(task.waited_s, 0);
    EXPECT_EQ(store_.claim({kWorker, {"gpu"}, "c1", "", ""}).at(0).waited_s, -1);
    EXPECT_TRUE(store_.list_failures(10).empty());
    (void)store_.fail(kWorker, {task.held(), "NotConverged", "residual 1"});

    const auto failures = store_.list_failures(10);
    ASSERT_EQ(failures.size(), 1U);
    EXPECT_EQ(failures[0].task_id, task.task_id);
    EXPECT_EQ(failures[0].label, task.label);
    EXPECT_EQ(failures[0].error, "NotConverged: residual 1");
    EXPECT_EQ(failures[0].host, "n7");
    EXPECT_EQ(failures[0].payload, task.payload);
}

TEST_P(StoreConformance, TheOldestReadyTaskHasAnAge) {
    EXPECT_EQ(store_.oldest_ready_age_s(), 0);
    submit({"a"});
    submit({"b"});
    EXPECT_EQ(store_.count_active_jobs(), 2);
    advance(100);

    EXPECT_NEAR(store_.oldest_ready_age_s(), 100, 30);
}

}  // namespace
}  // namespace kaname::conformance::store_cordons_suite
