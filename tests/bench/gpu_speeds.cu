// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>

#include "solvers/device/buffer.hpp"
#include "solvers/device/cuda/launch.cuh"
#include "tests/bench/gpu_speeds.hpp"

namespace kaname::bench {
namespace {

using device::Buffer;
using device::Queue;

constexpr int kRuns = 5;

template <class Work>
double best_seconds(const Work& work, Queue& queue) {
    using Clock = std::chrono::steady_clock;
    double best = 1e30;
    for (int run = 0; run <= kRuns; ++run) {
        const auto start = Clock::now();
        work();
        queue.synchronize();
        const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
        best = run == 0 ? best : std::min(best, seconds);  // the first loads the code
    }
    return best;
}

// Enough independent chains per thread to cover the latency of a multiply-add.
constexpr int kChains = 8;
constexpr int kSteps = 4096;

template <class T>
struct Multiply {
    T a, b;
    T* out;
    __device__ void operator()(std::int64_t i) const {
        T x[kChains];
#pragma unroll
        for (int k = 0; k < kChains; ++k) {
            x[k] = static_cast<T>(i + k);
        }
        for (int step = 0; step < kSteps; ++step) {
#pragma unroll
            for (int k = 0; k < kChains; ++k) {
                x[k] = x[k] * a + b;
            }
        }
        T sum = 0;
#pragma unroll
        for (int k = 0; k < kChains; ++k) {
            sum += x[k];
        }
        out[i] = sum;
    }
};

template <class T>
double fma_gflop_s(Queue& queue) {
    const std::int64_t n = std::int64_t(queue.stream().multiprocessors) * 2048 * 8;
    Buffer<T> out(n, queue);
    const Multiply<T> body{static_cast<T>(0.5), static_cast<T>(1.0), out.data()};
    const double seconds =
        best_seconds([&] { device::cuda::for_each(n, body, "fma", queue); }, queue);
    return 2e-9 * kChains * kSteps * static_cast<double>(n) / seconds;
}

}  // namespace

double copy_gb_s(Queue& queue) {
    constexpr std::size_t kBytes = std::size_t{1} << 30;
    Buffer<double> from(kBytes / sizeof(double), queue);
    Buffer<double> to(kBytes / sizeof(double), queue);
    const double seconds =
        best_seconds([&] { device::copy_on_device(to.data(), from.data(), kBytes, queue); }, queue);
    return 2e-9 * static_cast<double>(kBytes) / seconds;
}

double fma_gflop_s_fp32(Queue& queue) {
    return fma_gflop_s<float>(queue);
}

double fma_gflop_s_fp64(Queue& queue) {
    return fma_gflop_s<double>(queue);
}

}  // namespace kaname::bench
