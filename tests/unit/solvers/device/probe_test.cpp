// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/device/probe.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/device/probe_body.hpp"

namespace kaname::device::probe_test {
namespace {

TEST(Probe, TheCpuPassesIt) {
    Queue queue;

    EXPECT_NO_THROW(probe(queue));
}

TEST(Probe, ValuesAreTheSameInBothPrecisions) {
    double largest = 0.0;
    for (std::int64_t i = 0; i < 2042; ++i) {
        EXPECT_EQ(static_cast<double>(probe_value<float>(i)), probe_value<double>(i)) << i;
        largest = std::max(largest, probe_value<double>(i));
    }
    EXPECT_GT(largest, 4000.0);
    EXPECT_LT(largest, 4096.0);
}

TEST(Probe, OneWrongNumberIsADeviceError) {
    constexpr std::int64_t kItems = 1000;
    std::array<double, 2> sums{};
    Buffer<float> x32(kItems);
    Buffer<double> x64(kItems);
    probe_sums_cpu({kItems, x32, x64, &sums});
    EXPECT_NO_THROW(check_probe(sums, kItems));
    sums[1] += 1.0;

    try {
        check_probe(sums, kItems);
        FAIL();
    } catch (const DeviceError& error) {
        EXPECT_EQ(error.code(), ErrorCode::DeviceFault);
        EXPECT_EQ(error.fault().call, "probe kernel");
        EXPECT_TRUE(blames_hardware(error.fault()));
        EXPECT_NE(std::string(error.what()).find("must be " + std::to_string(sums[0])),
                  std::string::npos);
    }
}

TEST(DeviceError, SaysWhatWasCalledAndWhatCameBack) {
    const DeviceFault fault{"spmv", "cudaErrorIllegalAddress", ""};
    const DeviceError error(fault, describe(fault, "an illegal address"));

    EXPECT_STREQ(error.what(), "spmv: cudaErrorIllegalAddress: an illegal address");
    EXPECT_FALSE(blames_hardware(error.fault()));
    EXPECT_TRUE(blames_hardware({"spmv", "cudaErrorECCUncorrectable", ""}));
}

}  // namespace
}  // namespace kaname::device::probe_test
