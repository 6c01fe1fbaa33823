// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/device/buffer.hpp"
#include "solvers/device/cuda/runtime.hpp"

namespace kaname {

/// Largest difference over the largest number of b; not small where sizes differ or for NaN.
template <class T>
double apart(const std::vector<T>& a, const std::vector<T>& b) {
    double difference = a.size() == b.size() && !a.empty() ? 0.0 : 1.0, largest = 0.0;
    for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
        const double d = std::abs(double(a[k]) - double(b[k]));
        difference = d <= difference ? difference : d;  // NaN stays
        largest = std::max(largest, std::abs(double(b[k])));
    }
    return difference / largest;
}

/// A test that compares a GPU with the CPU; where there is none it is skipped, with the reason.
class GpuTest : public testing::Test {
protected:
    void SetUp() override {
        const std::string reason = device::cuda::unavailable_reason();
        if (!reason.empty()) {
            GTEST_SKIP() << reason;
        }
        gpu = device::Queue(device::Backend::Cuda);
    }

    template <class T>
    std::vector<T> random(std::size_t size) {
        std::uniform_real_distribution<double> uniform(-1.0, 1.0);
        std::vector<T> values(size);
        for (T& value : values) {
            value = static_cast<T>(uniform(random_));
        }
        return values;
    }
    template <class T>
    std::vector<T> poison(std::size_t size) {
        return std::vector<T>(size, std::numeric_limits<T>::quiet_NaN());
    }
    /// Runs `work(queue, buffers...)` on copies of the host arrays on both backends and compares
    /// the last array: ||gpu - cpu|| <= rounding ||cpu||, no NaN left.
    template <class T, class Work, class... Arrays>
    void expect_same(double rounding, const Work& work, const std::vector<T>& result,
                     const Arrays&... arrays) {
        const std::vector<T> on_cpu = run(cpu, work, result, arrays...);
        const std::vector<T> on_gpu = run(gpu, work, result, arrays...);
        double apart = 0.0;
        double size = 0.0;
        for (std::size_t i = 0; i < on_cpu.size(); ++i) {
            apart += std::pow(double(on_gpu[i]) - double(on_cpu[i]), 2);
            size += std::pow(double(on_cpu[i]), 2);
        }
        EXPECT_GT(size, 0.0);
        EXPECT_LE(std::sqrt(apart), rounding * std::sqrt(size));  // false for NaN
    }

    device::Queue cpu;
    device::Queue gpu;

private:
    template <class T, class Work, class... Arrays>
    static std::vector<T> run(device::Queue& queue, const Work& work, const std::vector<T>& result,
                              const std::vector<Arrays>&... arrays) {
        device::Buffer<T> out(std::span<const T>(result), queue);
        work(queue, device::Buffer<Arrays>(std::span<const Arrays>(arrays), queue)..., out.view());
        std::vector<T> host(result.size());
        device::download<T>(out, host, queue);
        return host;
    }

    std::mt19937 random_{20261121};
};

}  // namespace kaname
