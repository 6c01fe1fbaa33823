// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/device/once_per_device.hpp"

#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace kaname::device::once_per_device_test {
namespace {

TEST(OncePerDevice, RunsForEveryDeviceOnce) {
    OncePerDevice once;
    std::vector<int> ran;
    for (const int device : {0, 3, 0, 63, 3, 0, 63}) {
        once.run(device, [&] { ran.push_back(device); });
    }

    EXPECT_EQ(ran, (std::vector<int>{0, 3, 63}));
}

TEST(OncePerDevice, RunsAgainWhatThrewAndDevicesBeyondItsMemory) {
    OncePerDevice once;
    int runs = 0;
    EXPECT_THROW(once.run(1, [] { throw std::runtime_error("no such attribute"); }),
                 std::runtime_error);
    for (int k = 0; k < 3; ++k) {
        once.run(1, [&] { ++runs; });
        once.run(65, [&] { ++runs; });
    }

    EXPECT_EQ(runs, 1 + 3);
}

}  // namespace
}  // namespace kaname::device::once_per_device_test
