// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/device/buffer.hpp"

namespace kaname::device::memory_test {
namespace {

/// Resident bytes of this process; nullopt where the system does not tell.
std::optional<double> resident_bytes() {
    std::ifstream status("/proc/self/status");
    std::string line;
    while (std::getline(status, line)) {
        if (line.starts_with("VmRSS:")) {
            return 1024.0 * std::stod(line.substr(6));
        }
    }
    return std::nullopt;
}

TEST(Memory, LargeArraysTakeNoneBeforeTheyAreUsed) {
    constexpr std::size_t kSize = std::size_t(64) << 20U;
    const auto before = resident_bytes();
    if (!before) {
        GTEST_SKIP() << "the system does not tell what is resident";
    }

    Buffer<std::uint8_t> array(kSize);

    EXPECT_LT(*resident_bytes() - *before, 0.1 * kSize);
    EXPECT_EQ(std::ranges::count(array.view(), 0), std::ptrdiff_t(kSize));
    array.fill(1);
    EXPECT_GT(*resident_bytes() - *before, 0.9 * kSize);
}

TEST(Memory, ArraysAreZeroAndAlignedAlsoWhenTheirMemoryWasUsed) {
    for (const std::size_t size : {std::size_t(1), std::size_t(1000), std::size_t(3) << 20U}) {
        for (int again = 0; again < 2; ++again) {
            Buffer<std::uint8_t> array(size);
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % 64, 0U);
            EXPECT_EQ(std::ranges::count(array.view(), 0), std::ptrdiff_t(size));
            array.fill(7);
        }
    }
}

TEST(Memory, WhatDoesNotExistIsRefused) {
    constexpr std::size_t kTooMuch = std::numeric_limits<std::size_t>::max() / 4;
    try {
        const Buffer<std::uint8_t> array(kTooMuch);
        FAIL() << "nothing was thrown";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Exhausted);
        EXPECT_NE(std::string(error.what()).find(std::to_string(kTooMuch)), std::string::npos);
    }
}

TEST(Memory, WhatWasFilledMovesToTheCpusQueueWithoutACopy) {
    Queue queue(Backend::Cpu);
    Buffer<int> host(10);
    host.fill(3);
    const int* data = host.data();

    const Buffer<int> moved = moved_to(queue, std::move(host));

    EXPECT_EQ(moved.data(), data);
    EXPECT_EQ(std::ranges::count(moved.view(), 3), 10);
}

}  // namespace
}  // namespace kaname::device::memory_test
