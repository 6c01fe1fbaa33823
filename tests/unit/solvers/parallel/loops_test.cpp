// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/parallel/loops.hpp"

#include <atomic>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "solvers/device/threads.hpp"

namespace kaname::loops_test {
namespace {

class Loops : public testing::TestWithParam<int> {
protected:
    Loops() { device::set_threads(GetParam()); }
    ~Loops() override { device::set_threads(before_); }

private:
    int before_ = device::max_threads();
};

TEST_P(Loops, EveryIndexIsVisitedOnce) {
    constexpr std::int64_t kCount = 10 * kRange + 7;
    std::vector<int> visits(kCount, 0);

    parallel_for(kCount, [&](std::int64_t i) { ++visits[i]; });
    parallel_for(0, [&](std::int64_t i) { ++visits[i]; });

    EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), kCount);
}

TEST_P(Loops, RangesDoNotDependOnThreads) {
    std::vector<std::int64_t> ends(4, 0);

    parallel_ranges(3 * 10 + 1, 10,
                    [&](std::int64_t begin, std::int64_t end) { ends[begin / 10] = end; });

    EXPECT_EQ(ends, (std::vector<std::int64_t>{10, 20, 30, 31}));
}

TEST_P(Loops, TheErrorOfTheFirstRangeIsThrownAndTheOthersAreRun) {
    std::atomic<int> visited = 0;

    try {
        parallel_for(
            100,
            [&](std::int64_t i) {
                ++visited;
                if (i == 17 || i == 80) {
                    throw std::runtime_error(std::to_string(i));
                }
            },
            1);
        FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "17");
    }

    EXPECT_EQ(visited, 100);
}

TEST_P(Loops, AnErrorWhileStateIsMadeIsThrown) {
    const auto make = []() -> int { throw std::runtime_error("no state"); };

    EXPECT_THROW(parallel_ranges(100, 1, make, [](auto, auto, int) {}), std::runtime_error);
}

TEST_P(Loops, CountsBecomePlaces) {
    for (const std::size_t size : {std::size_t(0), std::size_t(1), std::size_t(200'001)}) {
        std::vector<std::int64_t> values(size);
        std::vector<std::int64_t> expected(size);
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < size; ++i) {
            values[i] = static_cast<std::int64_t>(i * 7919 % 13);
            expected[i] = sum;
            sum += values[i];
        }

        EXPECT_EQ(exclusive_sum(std::span(values)), sum);

        EXPECT_EQ(values, expected);
    }
}

INSTANTIATE_TEST_SUITE_P(Threads, Loops, testing::Values(1, 2, 3));

}  // namespace
}  // namespace kaname::loops_test
