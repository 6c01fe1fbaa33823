// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/lanes/blas1.hpp"
#include "solvers/lanes/blas1_body.hpp"
#include "tests/unit/solvers/lanes/body_runs.hpp"

namespace kaname::lanes::history_test {
namespace {

constexpr std::size_t kSize = 37 * kLanes;  // the last register of the CPU is not full

template <class T>
device::Buffer<T> buffer(double phase) {
    device::Buffer<T> x(kSize);
    std::ranges::copy(waves<T>(kSize, phase), x.data());
    return x;
}

TEST(History, IncrementIsKeptOnBothBackends) {
    device::Queue queue;
    const auto du = buffer<double>(0.0);
    const auto newest = buffer<double>(0.1);
    const auto old = buffer<double>(0.3);
    auto before = buffer<double>(0.3);
    auto before_gpu = buffer<double>(0.3);
    device::Buffer<float> cpu(kSize);
    device::Buffer<float> gpu(kSize);
    keep_increment(du, newest, before, cpu, queue);
    run_threads(kSize / kLanes,
                body::KeepIncrement<>{du.data(), newest.data(), before_gpu.data(), gpu.data()});
    for (std::size_t i = 0; i < kSize; ++i) {
        EXPECT_NEAR(cpu[i], du[i] - 2.0 * newest[i] + old[i], 1e-6);
        EXPECT_EQ(gpu[i], cpu[i]);
        EXPECT_EQ(before[i], du[i]);
        EXPECT_EQ(before_gpu[i], du[i]);
    }
    EXPECT_THROW(keep_increment(du, newest, before.view().first(kLanes), cpu, queue), Error);
}

TEST(History, SumOnBothBackends) {
    device::Queue queue;
    const auto newest = buffer<double>(0.1);
    const auto before = buffer<double>(0.3);
    const auto x0 = buffer<float>(0.5);
    const auto x1 = buffer<float>(0.9);
    for (const bool with_before : {false, true}) {
        HistorySum sum;
        sum.newest = newest.data();
        sum.before = with_before ? before.data() : nullptr;
        sum.x[0] = x0.data();
        sum.x[1] = x1.data();
        sum.n_x = 2;
        for (int lane = 0; lane < kLanes; ++lane) {
            sum.a[lane] = 0.3 + lane;
            sum.b[lane] = -0.2 * lane;
            sum.c[0][lane] = 1.5;
            sum.c[1][lane] = 0.7 - lane;
        }
        device::Buffer<double> cpu(kSize);
        device::Buffer<double> gpu(kSize);
        history_sum(sum, cpu, queue);
        std::vector<double> weights(sum.a, sum.a + kLanes);
        weights.insert(weights.end(), sum.b, sum.b + kLanes);
        weights.insert(weights.end(), sum.c[0], sum.c[2]);
        HistorySum in_memory = sum;
        in_memory.weights = weights.data();
        std::fill_n(in_memory.a, kLanes, NAN);
        device::Buffer<double> cpu_in_memory(kSize);
        device::Buffer<double> gpu_in_memory(kSize);
        history_sum(in_memory, cpu_in_memory, queue);
        run_threads(kSize / kLanes, body::AddHistory<true>{in_memory, gpu_in_memory.data()});
        run_threads(kSize / kLanes, body::AddHistory<false>{sum, gpu.data()});
        for (std::size_t i = 0; i < kSize; ++i) {
            const auto lane = static_cast<int>(i % kLanes);
            EXPECT_NEAR(cpu[i],
                        sum.a[lane] * newest[i] +
                            (with_before ? sum.b[lane] * (newest[i] - before[i]) : 0.0) +
                            1.5 * x0[i] + (0.7 - lane) * x1[i],
                        1e-14);
            EXPECT_NEAR(gpu[i], cpu[i], 1e-14);
            EXPECT_EQ(cpu_in_memory[i], cpu[i]);
            EXPECT_EQ(gpu_in_memory[i], gpu[i]);
        }
        sum.n_x = 17;
        EXPECT_THROW(history_sum(sum, cpu, queue), Error);
    }
}

}  // namespace
}  // namespace kaname::lanes::history_test
