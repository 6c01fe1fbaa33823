// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/device/cuda/runtime.hpp"

#include <string>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/device/buffer.hpp"

namespace kaname::device::runtime_test {
namespace {

/// Without a GPU every call fails as it does after an error that sticks.
TEST(CudaRuntime, OtherErrorsAreNotWantOfMemory) {
    if (cuda::device_count() > 0) {
        GTEST_SKIP() << "there is a GPU";
    }
    try {
        (void)cuda::allocate(64);
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(error.code(), ErrorCode::Exhausted);
        EXPECT_EQ(std::string(error.what()).find("no GPU memory"), std::string::npos)
            << error.what();
    }
}

TEST(HostBuffer, OwnsHostMemoryOfACpusQueue) {
    const Queue queue;
    const std::size_t before = allocation_count();
    HostBuffer<double> buffer(7, queue);
    const HostBuffer<double> none(0, queue);

    buffer.span()[6] = 2.5;
    HostBuffer<double> moved = std::move(buffer);

    EXPECT_EQ(moved.size(), 7u);
    EXPECT_EQ(moved.span()[6], 2.5);
    EXPECT_TRUE(none.span().empty());
    EXPECT_EQ(allocation_count(), before + 1);
}

}  // namespace
}  // namespace kaname::device::runtime_test
