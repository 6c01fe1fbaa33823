// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/lanes/bcrs.hpp"
#include "solvers/lanes/bcrs_body.hpp"
#include "tests/unit/solvers/lanes/body_runs.hpp"

namespace kaname::lanes::gather_test {
namespace {

constexpr int kItems = 29;
constexpr int kWidth = 3 * kLanes;

class Gather : public testing::Test {
protected:
    device::Queue queue;
    std::vector<std::int32_t> items = {28, 3, 0, 17, 9};
};

TEST_F(Gather, ItemsComeInTheOrderOfTheList) {
    const auto x = waves<double>(kItems * kWidth, 0.3);
    std::vector<double> cpu(items.size() * kWidth, NAN);
    std::vector<double> gpu(cpu.size(), NAN);

    gather_items<double>(items, kWidth, x, cpu, queue);
    run_threads(items.size(), body::GatherItems<double>{items.data(), 3, x.data(), gpu.data()});

    for (std::size_t i = 0; i < cpu.size(); ++i) {
        EXPECT_EQ(cpu[i], x[items[i / kWidth] * kWidth + i % kWidth]);
        EXPECT_EQ(gpu[i], cpu[i]);
    }
}

TEST_F(Gather, ScatterWritesTheListedItemsOnly) {
    const auto packed = waves<float>(items.size() * kWidth, 0.3);
    std::vector<float> cpu(kItems * kWidth, 7.0F);
    std::vector<float> gpu = cpu;

    scatter_items<float>(items, kWidth, packed, cpu, queue);
    run_threads(items.size(),
                body::ScatterItems<float>{items.data(), 3, packed.data(), gpu.data()});

    std::vector<float> expected(cpu.size(), 7.0F);
    for (std::size_t i = 0; i < packed.size(); ++i) {
        expected[items[i / kWidth] * kWidth + i % kWidth] = packed[i];
    }
    EXPECT_EQ(cpu, expected);
    EXPECT_EQ(gpu, expected);
}

TEST_F(Gather, SumsGoToTheListedItemsInTheirOrder) {
    const std::vector<std::int32_t> ptr = {0, 2, 3, 3, 6, 7};
    const std::vector<std::int32_t> listed = {4, 0, 6, 5, 1, 2, 3};
    const auto packed = waves<float>(7 * kWidth, 1e3);
    std::vector<float> cpu(kItems * kWidth, 7.0F);
    std::vector<float> gpu = cpu, expected = cpu;
    for (std::size_t i = 0; i < items.size(); ++i) {
        for (int k = 0; k < kWidth; ++k) {
            float sum = 0.0F;
            for (auto m = ptr[i]; m < ptr[i + 1]; ++m) {
                sum += packed[listed[m] * kWidth + k];
            }
            expected[items[i] * kWidth + k] = sum;
        }
    }

    scatter_sums<float>({items, ptr, listed, kWidth, packed, cpu}, queue);
    run_threads(items.size(), body::ScatterSums<float>{items.data(), ptr.data(), listed.data(), 3,
                                                       packed.data(), gpu.data()});

    EXPECT_EQ(cpu, expected);
    EXPECT_EQ(gpu, expected);
}

TEST_F(Gather, SumsOfGroupsWithNoneOneAndManyItems) {
    const std::vector<std::int32_t> ptr = {0, 1, 1, 5, 27};
    std::vector<std::int32_t> members(27);
    std::iota(members.rbegin(), members.rend(), 1);
    const auto x = waves<float>(kItems * kWidth, 0.3);
    std::vector<float> cpu((ptr.size() - 1) * kWidth, NAN);
    std::vector<float> gpu = cpu;

    sum_items<float>(ptr, members, x, cpu, queue);
    run_threads(ptr.size() - 1,
                body::SumItems<float>{ptr.data(), members.data(), x.data(), gpu.data()});

    for (std::size_t i = 0; i < cpu.size(); ++i) {
        float sum = 0.0F;
        for (std::int32_t k = ptr[i / kWidth]; k < ptr[i / kWidth + 1]; ++k) {
            sum += x[members[k] * kWidth + i % kWidth];
        }
        EXPECT_EQ(cpu[i], sum);
        EXPECT_EQ(gpu[i], cpu[i]);
    }
}

TEST_F(Gather, RefusesItemsThatAreNotWholeLanes) {
    const auto x = waves<double>(kItems * kWidth, 0.3);
    std::vector<double> packed(items.size() * (kWidth + 1));

    EXPECT_THROW(gather_items<double>(items, kWidth + 1, x, packed, queue), Error);
    EXPECT_THROW(scatter_items<double>(items, kWidth + 1, x, packed, queue), Error);
}

}  // namespace
}  // namespace kaname::lanes::gather_test
