// SPDX-License-Identifier: BSD-3-Clause
// The agent and its GPUs: probes, faults, telemetry, with GPUs that a few lines of shell make up.
#include "tests/unit/worker/agent/agent_fixture.hpp"

namespace kaname::agent::agent_gpu_test {
namespace {

const std::string kProbed =
    R"sh(echo '@kaname {"type":"result","verb":"probe","result":{"device":"cuda","gpus":[{"uuid":"GPU-a","name":"Fake"}],"reason":""}}')sh";

std::string fault_event(const std::string& error) {
    return R"sh(echo '@kaname {"type":"error","code":"DeviceFault","message":"spmv: )sh" + error +
           R"sh(: bad","violations":[],"device_fault":{"call":"spmv","error":")sh" + error +
           R"sh(","gpu":"GPU-a"}}')sh";
}

class AgentGpuTest : public AgentTest {
protected:
    AgentGpuTest() { options_.device = "auto"; }
    /// kaname-compute whose probe and packs do as these lines say; $0.probes counts the probes.
    static std::string computing(const std::string& on_probe, const std::string& on_pack) {
        return "if [ \"$1\" = probe ]; then echo \"$@\" >> \"$0.probes\"\n" + on_probe +
               "\nexit; fi\n" + serving(on_pack);
    }
    static std::string probes(const FakeCompute& compute) {
        return read_file_if_any(compute.program().string() + ".probes");
    }
};

TEST_F(AgentGpuTest, GpusAreProbedBeforeTheFirstClaimAndRegistered) {
    options_.ranks = 2;
    const FakeCompute compute(computing(kProbed, kSolves));
    bool claimed_before = false;
    client_.on_beat = [&](const v1::HeartbeatRequest& beat) {
        claimed_before |= !beat.not_ready().empty() && client_.n_claims > 0;
    };

    run(compute, [&] { return client_.n_claims > 0; });

    EXPECT_EQ(probes(compute), "probe --device auto --ranks 2\n");
    EXPECT_EQ(client_.gpus, std::vector<std::string>{"GPU-a"});
    EXPECT_FALSE(claimed_before);
    EXPECT_EQ(client_.registered.size(), 2U);  // before the probe, and with what it found
    EXPECT_EQ(client_.registered[0], client_.registered[1]);
}

TEST_F(AgentGpuTest, AGpuThatDoesNotComputeIsToldAndTriedAgain) {
    const FakeCompute compute(computing(
        "if [ -e \"$0.repaired\" ]; then " + kProbed + "; else " +
            R"sh(echo '@kaname {"type":"error","code":"DeviceFault","message":"probe kernel: wrong answer","violations":[]}'; exit 5; fi)sh",
        kSolves));
    int n_claims_before = -1;
    client_.on_beat = [&](const v1::HeartbeatRequest& beat) {
        if (beat.not_ready() == "probe kernel: wrong answer") {
            n_claims_before = client_.n_claims;
            write_file(compute.program().string() + ".repaired", "");
        }
    };

    run(compute, [&] { return client_.n_claims > 0; });

    EXPECT_EQ(n_claims_before, 0);
    EXPECT_GT(client_.n_claims, 0);
    EXPECT_EQ(client_.gpus, std::vector<std::string>{"GPU-a"});
}

TEST_F(AgentGpuTest, AProbeThatHangsMeansNotReady) {
    options_.probe_limit = 1s;
    const FakeCompute compute(computing("exec sleep 600", kSolves));
    std::string told;
    client_.on_beat = [&](const v1::HeartbeatRequest& beat) {
        told = beat.not_ready().starts_with("no sign of life") ? beat.not_ready() : told;
    };

    run(compute, [&] { return !told.empty(); });

    EXPECT_NE(told, "");
    EXPECT_EQ(client_.n_claims, 0);
}

TEST_F(AgentGpuTest, AFaultOfTheHardwareIsRetriedElsewhereAndTheGpuProbedAgain) {
    const FakeCompute compute(computing(
        kProbed, "if [ ! -e \"$0.failed\" ]; then : > \"$0.failed\"; " +
                     fault_event("cudaErrorECCUncorrectable") + "; exit 5; fi" + kSolves));
    client_.packs = {in_session("solve", {"a", "b"}), in_session("solve", {"a"})};

    run(compute, [&] { return client_.completed.size() == 1 && !client_.faults.empty(); });

    ASSERT_EQ(client_.failed.size(), 2U);
    EXPECT_EQ(client_.failed[0].error_class(), "DeviceFault");
    EXPECT_EQ(client_.failed[0].message(), "spmv: cudaErrorECCUncorrectable: bad");
    EXPECT_TRUE(client_.failed[0].retryable());
    EXPECT_FALSE(client_.failed[0].crashed());
    ASSERT_EQ(client_.completed.size(), 1U);  // by new ranks
    ASSERT_FALSE(client_.faults.empty());
    EXPECT_EQ(client_.faults[0].gpu_uuid(), "GPU-a");
    EXPECT_EQ(client_.faults[0].reason(), "spmv: cudaErrorECCUncorrectable: bad");
    EXPECT_EQ(std::ranges::count(probes(compute), '\n'), 2);
}

TEST_F(AgentGpuTest, AFaultThatMayBeTheSourcesCountsAsACrash) {
    const FakeCompute compute(
        computing(kProbed, fault_event("cudaErrorIllegalAddress") + "; exit 5"));
    client_.packs = {in_session("solve", {"a"})};

    run(compute, [&] { return client_.failed.size() == 1; });

    ASSERT_EQ(client_.failed.size(), 1U);
    EXPECT_TRUE(client_.failed[0].retryable());
    EXPECT_TRUE(client_.failed[0].crashed());
}

TEST_F(AgentGpuTest, AHeartbeatHasTheReadingsOfThisWorkersGpusOnly) {
    const FakeCompute compute(computing(kProbed, kSolves));
    options_.gpu_readings = [] {
        telemetry::GpuReading mine, other;
        mine.uuid = "GPU-a";
        mine.power_w = 412.5;
        other.uuid = "GPU-b";
        return std::vector<telemetry::GpuReading>{other, mine};
    };

    run(compute, [&] { return client_.last_beat.gpus_size() > 0; });

    ASSERT_EQ(client_.last_beat.gpus_size(), 1);
    EXPECT_EQ(client_.last_beat.gpus(0).uuid(), "GPU-a");
    EXPECT_EQ(client_.last_beat.gpus(0).power_w(), 412.5);
    EXPECT_FALSE(client_.last_beat.gpus(0).has_temperature_c());
}

}  // namespace
}  // namespace kaname::agent::agent_gpu_test
