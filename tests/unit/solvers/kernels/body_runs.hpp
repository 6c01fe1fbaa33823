// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/kernels/for_each.hpp"
#include "solvers/kernels/share.hpp"

/// Bodies as the CPU runs them and, thread by thread, as a GPU would; tests compare both with plain
/// loops.
namespace kaname::kernels {

/// Every thread of a GPU's launch.
template <class Body>
void run_threads(std::int64_t n, const Body& body) {
    using Share = typename Body::GpuShare;
    const int threads = Share::threads(numbers_of(body));
    for (std::int64_t t = 0; t < n * threads; ++t) {
        body(t / threads, Share::of_thread(static_cast<int>(t % threads)));
    }
}

/// Runs make(y) both ways on copies of y and expects reference(k) at every place k.
template <class T, class Make, class Reference>
void expect_body(std::int64_t n, const std::vector<T>& y, double rounding, const Make& make,
                 const Reference& reference) {
    std::vector<T> on_cpu = y;
    std::vector<T> on_gpu = y;
    for_each_cpu(n, make(on_cpu.data()));
    run_threads(n, make(on_gpu.data()));
    for (std::size_t k = 0; k < y.size(); ++k) {
        ASSERT_NEAR(on_cpu[k], reference(k), rounding) << "CPU, " << k;
        ASSERT_NEAR(on_gpu[k], reference(k), rounding) << "GPU, " << k;
    }
}

template <class T>
std::vector<T> waves(std::size_t size, double phase) {
    std::vector<T> x(size);
    for (std::size_t i = 0; i < size; ++i) {
        x[i] = static_cast<T>(std::sin(phase + 0.7 * static_cast<double>(i)));
    }
    return x;
}

}  // namespace kaname::kernels
