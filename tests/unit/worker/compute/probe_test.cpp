// SPDX-License-Identifier: BSD-3-Clause
// The probe of GPUs and how their faults are told, with GPUs that a test makes up.
#include "worker/jobs/frame/probe.hpp"

#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "solvers/base/error.hpp"
#include "worker/compute/compute_main.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::compute::probe_test {
namespace {

using nlohmann::json;

class FakeGpus final : public Gpus {
public:
    int count() override { return n; }
    std::string unavailable_reason() override { return n > 0 ? "" : "no CUDA driver is installed"; }
    ProbedGpu probe(int index) override {
        if (index == broken) {
            throw DeviceError({"probe kernel", "wrong answer", "GPU-" + std::to_string(index)},
                              "sums differ");
        }
        return {"GPU-" + std::to_string(index), "Fake"};
    }
    int n = 0, broken = -1;
};

class ProbeTest : public testing::Test {
protected:
    json result() {
        const std::string line = out_.str().substr(0, out_.str().find('\n'));
        return json::parse(std::get<run::Result>(run::parse_line(line)).json);
    }
    run::Failure failure() {
        const std::string line = out_.str().substr(0, out_.str().find('\n'));
        return std::get<run::Failure>(run::parse_line(line));
    }

    std::ostringstream out_;
    Reporter reporter_{out_};
    FakeGpus gpus_;
};

TEST_F(ProbeTest, EachGpuThatARankTakesIsProbedOnce) {
    gpus_.n = 2;

    EXPECT_EQ(probe("auto", 4, gpus_, reporter_), run::kExitOk);

    EXPECT_EQ(result()["device"], "cuda");
    ASSERT_EQ(result()["gpus"].size(), 2U);
    EXPECT_EQ(result()["gpus"][1]["uuid"], "GPU-1");
}

TEST_F(ProbeTest, AGpuThatNoRankTakesIsLeftAlone) {
    gpus_.n = 2;
    gpus_.broken = 1;

    EXPECT_EQ(probe("cuda", 1, gpus_, reporter_), run::kExitOk);

    EXPECT_EQ(result()["gpus"].size(), 1U);
}

TEST_F(ProbeTest, WithoutAGpuAutoIsTheCpuAndSaysWhy) {
    EXPECT_EQ(probe("auto", 1, gpus_, reporter_), run::kExitOk);

    EXPECT_EQ(result()["device"], "cpu");
    EXPECT_EQ(result()["reason"], "no CUDA driver is installed");
    EXPECT_TRUE(result()["gpus"].empty());
}

TEST_F(ProbeTest, WithoutAGpuCudaIsRefused) {
    try {
        probe("cuda", 1, gpus_, reporter_);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Unavailable);
        EXPECT_STREQ(error.what(), "device cuda: no CUDA driver is installed");
    }
}

TEST_F(ProbeTest, TheCpuIsNotProbed) {
    gpus_.n = 1;
    gpus_.broken = 0;

    EXPECT_EQ(probe("cpu", 1, gpus_, reporter_), run::kExitOk);

    EXPECT_EQ(result()["device"], "cpu");
}

TEST_F(ProbeTest, AGpuThatCannotComputeIsAnEventWithItsName) {
    gpus_.n = 1;
    gpus_.broken = 0;

    const Outcome outcome =
        guarded(0, "", reporter_, [&] { return probe("auto", 1, gpus_, reporter_); });

    EXPECT_EQ(outcome.code, run::kExitUnavailable);
    ASSERT_TRUE(failure().device_fault);
    EXPECT_EQ(failure().device_fault->gpu, "GPU-0");
    EXPECT_EQ(failure().device_fault->error, "wrong answer");
}

TEST_F(ProbeTest, TheRankWhoseGpuFailedTellsIt) {
    const auto faults = []() -> int {
        throw DeviceError({"spmv", "cudaErrorLaunchFailure", ""}, "spmv: cudaErrorLaunchFailure");
    };

    const Outcome outcome = guarded(3, "GPU-3", reporter_, faults);

    EXPECT_TRUE(outcome.gave_up);
    EXPECT_TRUE(outcome.told);
    EXPECT_EQ(failure().device_fault->gpu, "GPU-3");
    EXPECT_EQ(failure().device_fault->call, "spmv");
}

TEST_F(ProbeTest, TheFirstRankLeavesAnothersFaultToIt) {
    const auto shared = []() -> int { throw Error(ErrorCode::DeviceFault, "rank 3: spmv"); };
    EXPECT_FALSE(guarded(0, "GPU-0", reporter_, shared).told);

    EXPECT_EQ(out_.str(), "");
    const auto other = []() -> int { throw Error(ErrorCode::NotConverged, "slow"); };
    EXPECT_FALSE(guarded(1, "", reporter_, other).told);
    EXPECT_TRUE(guarded(0, "", reporter_, other).told);
    EXPECT_EQ(failure().code, ErrorCode::NotConverged);
}

}  // namespace
}  // namespace kaname::compute::probe_test
