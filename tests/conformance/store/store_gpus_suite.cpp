// SPDX-License-Identifier: BSD-3-Clause
// Faults of GPUs and what becomes of the workers that hold them.
#include "solvers/base/error.hpp"
#include "tests/conformance/store/store_suite.hpp"

namespace kaname::conformance::store_gpus_suite {
namespace {

using store::GpuFault;

const std::string kWorker = "00000000-0000-4000-8000-00000000000a";
const std::string kNextWorker = "00000000-0000-4000-8000-00000000000b";
const std::string kGpu = "GPU-aaaaaaaa";

TEST_P(StoreConformance, AWorkersGpusAreListed) {
    store_.register_worker({kWorker, "test", "host", "1", 2, 3, {kGpu, "GPU-bbbbbbbb"}});
    store_.register_worker({kNextWorker, "test", "host", "1"});

    for (const store::WorkerInfo& worker : store_.list_workers()) {
        const bool has_gpus = worker.registered.worker_id == kWorker;
        EXPECT_EQ(worker.registered.gpu_uuids,
                  has_gpus ? (std::vector<std::string>{kGpu, "GPU-bbbbbbbb"})
                           : std::vector<std::string>());
        EXPECT_EQ(worker.registered.ranks, has_gpus ? 2 : 1);
        EXPECT_EQ(worker.cordon, "");
    }
}

TEST_P(StoreConformance, ThreeFaultsWithinAnHourCordonAGpu) {
    submit({"a"});
    store_.register_worker({kWorker, "test", "", "", 1, 1, {kGpu}});
    const auto fault = [&](const std::string& id, const std::string& reason) {
        const GpuFault told{id, kGpu, reason};
        return store_.record_gpu_faults(kWorker, {&told, 1});
    };
    EXPECT_EQ(fault("1", "xid 79"), "");
    EXPECT_EQ(fault("2", "xid 79"), "");
    EXPECT_EQ(store_.heartbeat(kWorker, {}).cordon, "");

    const std::string reason = fault("3", "xid 48");

    EXPECT_EQ(reason, kGpu + ": 3 faults within 60 min, the last: xid 48");
    EXPECT_EQ(store_.heartbeat(kWorker, {}).cordon, reason);
    EXPECT_FALSE(store_.heartbeat(kWorker, {}).draining);
    EXPECT_EQ(store_.list_workers().at(0).cordon, reason);
    EXPECT_TRUE(store_.claim({kWorker, {"gpu"}, "c1", "", ""}).empty());
}

TEST_P(StoreConformance, ACordonOutlivesTheWorkerAndSparesOthers) {
    submit({"a"});
    store_.register_worker({kWorker, "test", "", "", 1, 1, {kGpu}});
    const std::vector<GpuFault> faults = {{"1", kGpu, "x"}, {"2", kGpu, "x"}, {"3", kGpu, "x"}};
    (void)store_.record_gpu_faults(kWorker, faults);

    store_.register_worker({kNextWorker, "test", "", "", 1, 1, {"GPU-bbbbbbbb", kGpu}});
    EXPECT_TRUE(store_.claim({kNextWorker, {"gpu"}, "c1", "", ""}).empty());
    store_.register_worker({kNextWorker, "test", "", "", 1, 1, {"GPU-bbbbbbbb"}});

    EXPECT_EQ(store_.claim({kNextWorker, {"gpu"}, "c2", "", ""}).size(), 1U);
}

TEST_P(StoreConformance, AFaultToldAgainOrLongAgoDoesNotCount) {
    store_.register_worker({kWorker, "test", "", "", 1, 1, {kGpu}});
    const auto fault = [&](const std::string& id) {
        const GpuFault told{id, kGpu, "xid 79"};
        return store_.record_gpu_faults(kWorker, {&told, 1});
    };
    for (int again = 0; again < 4; ++again) {
        EXPECT_EQ(fault("1"), "");
    }
    EXPECT_EQ(fault("2"), "");

    advance(3601);

    EXPECT_EQ(fault("3"), "");
    EXPECT_EQ(fault("4"), "");
    EXPECT_NE(fault("5"), "");
}

TEST_P(StoreConformance, AnUncordonedGpuWorksAgainAndStartsAtNone) {
    submit({"a"});
    store_.register_worker({kWorker, "test", "", "", 1, 1, {kGpu}});
    const std::vector<GpuFault> faults = {{"1", kGpu, "x"}, {"2", kGpu, "x"}, {"3", kGpu, "x"}};
    EXPECT_NE(store_.record_gpu_faults(kWorker, faults), "");

    store_.uncordon_gpu(kGpu);

    const GpuFault next{"4", kGpu, "x"};
    EXPECT_EQ(store_.record_gpu_faults(kWorker, {&next, 1}), "");
    EXPECT_EQ(store_.claim({kWorker, {"gpu"}, "c1", "", ""}).size(), 1U);
    EXPECT_THROW(store_.uncordon_gpu(kGpu), Error);
}

TEST_P(StoreConformance, FaultsOfAnUnknownWorkerAreRefused) {
    const GpuFault told{"1", kGpu, "x"};

    EXPECT_THROW((void)store_.record_gpu_faults(kWorker, {&told, 1}), Error);
}

}  // namespace
}  // namespace kaname::conformance::store_gpus_suite
