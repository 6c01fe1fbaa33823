// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/lanes/for_each.hpp"
#include "solvers/lanes/share.hpp"

/// Bodies as the CPU runs them and, thread by thread, as a GPU would; tests compare both with plain
/// loops.
namespace kaname::lanes {

/// Aligned as a Buffer: a GPU's thread loads all lanes of a number at once.
template <class T>
struct AlignedAllocator {
    using value_type = T;
    AlignedAllocator() = default;
    template <class U>
    explicit AlignedAllocator(const AlignedAllocator<U>&) {}
    T* allocate(std::size_t n) {
        return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{64}));
    }
    void deallocate(T* p, std::size_t) { ::operator delete (p, std::align_val_t{64}); }
    bool operator==(const AlignedAllocator&) const = default;
};
template <class T>
using Numbers = std::vector<T, AlignedAllocator<T>>;

/// Every thread of a GPU's launch.
template <class Body>
void run_threads(std::int64_t n, const Body& body) {
    using Share = typename Body::GpuShare;
    const int threads = Share::threads(numbers_of(body));
    for (std::int64_t t = 0; t < n * threads; ++t) {
        body(t / threads, Share::of_thread(static_cast<int>(t % threads)));
    }
}

/// Returns the sum that a warp's threads of one lane add to a row.
template <class Body>
std::array<typename Body::Number, Body::kNumbers> row_of_warp(const Body& body, std::int64_t row,
                                                              int lane) {
    constexpr int kStride = 32 / Body::kLanes;
    std::array<typename Body::Number, Body::kNumbers> sum{};
    for (int first = 0; first < kStride; ++first) {
        typename Body::Number part[Body::kNumbers] = {};
        body(row, first, kStride, OneLane<Body::kLanes>{lane}, part);
        for (int i = 0; i < Body::kNumbers; ++i) {
            sum[i] += part[i];
        }
    }
    return sum;
}

/// Runs make(y) both ways on copies of y and expects reference(k) at every place k.
template <class T, class Make, class Reference>
void expect_body(std::int64_t n, const Numbers<T>& y, double rounding, const Make& make,
                 const Reference& reference) {
    Numbers<T> on_cpu = y;
    Numbers<T> on_gpu = y;
    for_each_cpu(n, make(on_cpu.data()));
    run_threads(n, make(on_gpu.data()));
    for (std::size_t k = 0; k < y.size(); ++k) {
        ASSERT_NEAR(on_cpu[k], reference(k), rounding) << "CPU, " << k;
        ASSERT_NEAR(on_gpu[k], reference(k), rounding) << "GPU, " << k;
    }
}

template <class T>
Numbers<T> waves(std::size_t size, double phase) {
    Numbers<T> x(size);
    for (std::size_t i = 0; i < size; ++i) {
        x[i] = static_cast<T>(std::sin(phase + 0.7 * static_cast<double>(i)));
    }
    return x;
}

}  // namespace kaname::lanes
