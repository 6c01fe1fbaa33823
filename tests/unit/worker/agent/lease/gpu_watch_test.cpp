// SPDX-License-Identifier: BSD-3-Clause
// Faults of some kinds count against a GPU, others do not.
#include <gtest/gtest.h>

#include "worker/agent/lease/lease.hpp"

namespace kaname::agent::gpu_watch_test {
namespace {

const DeviceFault kEcc{"spmv", "cudaErrorECCUncorrectable", "GPU-a"};
const DeviceFault kAddress{"spmv", "cudaErrorIllegalAddress", "GPU-a"};

class GpuWatchTest : public testing::Test {
protected:
    GpuWatchTest() { watch_.probed({"GPU-a"}); }
    /// Reasons of the faults that go out with the next heartbeat, which is answered.
    std::vector<std::string> told() {
        v1::HeartbeatRequest beat;
        watch_.describe(beat);
        watch_.told(beat);
        std::vector<std::string> reasons;
        for (const v1::GpuFault& fault : beat.faults()) {
            EXPECT_EQ(fault.gpu_uuid(), "GPU-a");
            reasons.push_back(fault.reason());
        }
        return reasons;
    }
    void see_xid(std::uint32_t xid) { xids_.push_back(xid); }

    std::vector<std::uint32_t> xids_;
    GpuWatch watch_{[this] {
                        telemetry::GpuReading reading;
                        reading.uuid = "GPU-a";
                        reading.new_xids = std::exchange(xids_, {});
                        return std::vector<telemetry::GpuReading>{reading};
                    },
                    [](const std::string&) {}};
    using Reasons = std::vector<std::string>;
};

TEST_F(GpuWatchTest, AFaultIsToldUntilItIsAnswered) {
    watch_.failed(kEcc, "ecc", {1});
    v1::HeartbeatRequest first, second;
    watch_.describe(first);
    watch_.describe(second);

    ASSERT_EQ(second.faults_size(), 1);
    EXPECT_EQ(first.faults(0).fault_id(), second.faults(0).fault_id());
    watch_.told(first);
    EXPECT_TRUE(told().empty());
}

TEST_F(GpuWatchTest, OneIncidentCountsOnce) {
    watch_.failed(kEcc, "ecc", {1});
    see_xid(48);
    see_xid(79);
    EXPECT_EQ(told(), Reasons{"ecc"});

    watch_.probed({"GPU-a"});
    see_xid(79);

    EXPECT_EQ(told(), Reasons{"XID 79"});
}

TEST_F(GpuWatchTest, XidsThatProgramsBringAboutDoNotCount) {
    for (const std::uint32_t xid : {13U, 31U, 43U, 45U, 63U, 69U}) {
        see_xid(xid);
    }

    EXPECT_TRUE(told().empty());
    EXPECT_FALSE(watch_.probe_wanted());
}

TEST_F(GpuWatchTest, AfterAFaultTheGpuMustBeProbed) {
    EXPECT_FALSE(watch_.probe_wanted());
    see_xid(48);
    (void)told();
    EXPECT_TRUE(watch_.probe_wanted());
    watch_.probed({"GPU-a"});

    watch_.failed(kAddress, "address", {1});

    EXPECT_TRUE(watch_.probe_wanted());
}

TEST_F(GpuWatchTest, ATaskThatFaultsWhereverItGoesIsNotTheGpusFault) {
    watch_.failed(kAddress, "first", {1, 2});
    EXPECT_EQ(told(), Reasons{"first"});
    watch_.probed({"GPU-a"});

    watch_.failed(kAddress, "the same alone", {1});
    EXPECT_TRUE(told().empty());
    watch_.probed({"GPU-a"});
    watch_.failed(kAddress, "another", {3});
    EXPECT_EQ(told(), Reasons{"another"});
    watch_.probed({"GPU-a"});

    watch_.failed(kEcc, "the hardware", {1});
    EXPECT_EQ(told(), Reasons{"the hardware"});
}

TEST_F(GpuWatchTest, AFaultWithoutANameIsTheOnlyGpus) {
    watch_.failed({"spmv", "cudaErrorECCUncorrectable", ""}, "ecc", {1});

    EXPECT_EQ(told(), Reasons{"ecc"});
}

}  // namespace
}  // namespace kaname::agent::gpu_watch_test
