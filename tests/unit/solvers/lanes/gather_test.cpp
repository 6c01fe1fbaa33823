// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/gather.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/lanes/gather_body.hpp"

namespace kaname::lanes {
namespace {

constexpr int kItems = 29;
constexpr int kWidth = 6;

template <class T>
std::vector<T> waves(std::size_t size) {
    std::vector<T> x(size);
    for (std::size_t i = 0; i < size; ++i) {
        x[i] = static_cast<T>(std::sin(0.3 + 0.7 * static_cast<double>(i)));
    }
    return x;
}

/// Every thread of a GPU's launch.
template <class Body>
void run_all(const Body& body, std::size_t threads) {
    for (std::size_t i = 0; i < threads; ++i) {
        body(static_cast<std::int64_t>(i));
    }
}

class Gather : public testing::Test {
protected:
    device::Queue queue;
    std::vector<std::int32_t> items = {28, 3, 0, 17, 9};
};

TEST_F(Gather, ItemsComeInTheOrderOfTheList) {
    const auto x = waves<double>(kItems * kWidth);
    std::vector<double> cpu(items.size() * kWidth, NAN);
    std::vector<double> gpu(cpu.size(), NAN);

    gather_items<double>(items, kWidth, x, cpu, queue);
    run_all(body::GatherItems<double>{items.data(), kWidth, x.data(), gpu.data()}, gpu.size());

    for (std::size_t i = 0; i < cpu.size(); ++i) {
        EXPECT_EQ(cpu[i], x[items[i / kWidth] * kWidth + i % kWidth]);
        EXPECT_EQ(gpu[i], cpu[i]);
    }
}

TEST_F(Gather, ScatterWritesTheListedItemsOnly) {
    const auto packed = waves<float>(items.size() * kWidth);
    std::vector<float> cpu(kItems * kWidth, 7.0F);
    std::vector<float> gpu = cpu;

    scatter_items<float>(items, kWidth, packed, cpu, queue);
    run_all(body::ScatterItems<float>{items.data(), kWidth, packed.data(), gpu.data()},
            packed.size());

    std::vector<float> expected(cpu.size(), 7.0F);
    for (std::size_t i = 0; i < packed.size(); ++i) {
        expected[items[i / kWidth] * kWidth + i % kWidth] = packed[i];
    }
    EXPECT_EQ(cpu, expected);
    EXPECT_EQ(gpu, expected);
}

TEST_F(Gather, SumsOfGroupsWithNoneOneAndManyItems) {
    const std::vector<std::int32_t> ptr = {0, 1, 1, 5, 27};
    std::vector<std::int32_t> members(27);
    std::iota(members.rbegin(), members.rend(), 1);
    const auto x = waves<float>(kItems * kWidth);
    std::vector<float> cpu((ptr.size() - 1) * kWidth, NAN);
    std::vector<float> gpu = cpu;

    sum_items<float>(ptr, members, kWidth, x, cpu, queue);
    run_all(body::SumItems<float>{ptr.data(), members.data(), kWidth, x.data(), gpu.data()},
            gpu.size());

    for (std::size_t i = 0; i < cpu.size(); ++i) {
        float sum = 0.0F;
        for (std::int32_t k = ptr[i / kWidth]; k < ptr[i / kWidth + 1]; ++k) {
            sum += x[members[k] * kWidth + i % kWidth];
        }
        EXPECT_EQ(cpu[i], sum);
        EXPECT_EQ(gpu[i], cpu[i]);
    }
}

}  // namespace
}  // namespace kaname::lanes
