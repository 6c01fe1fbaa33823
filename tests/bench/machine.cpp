// SPDX-License-Identifier: BSD-3-Clause
#include "tests/bench/machine.hpp"

#include <algorithm>
#include <fstream>
#include <memory>
#include <thread>

#include <unistd.h>

#include "solvers/base/text.hpp"
#include "solvers/device/cuda/runtime.hpp"
#include "solvers/device/threads.hpp"
#include "solvers/lanes/lanes.hpp"
#include "tests/bench/gpu_speeds.hpp"

namespace kaname::bench {
namespace {

constexpr int kRuns = 5;

std::string cpu_name() {
    std::ifstream info("/proc/cpuinfo");
    std::string line;
    while (std::getline(info, line)) {
        const auto colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) {
            return line.substr(colon + 2);
        }
    }
    return "unknown";
}

/// Four times the last-level cache, as the STREAM rules ask; within a quarter of the free memory
/// and 1.5 GB.
std::int64_t stream_bytes() {
    const std::int64_t cache = std::max(0L, sysconf(_SC_LEVEL3_CACHE_SIZE));
    const std::int64_t available =
        std::max(0L, sysconf(_SC_AVPHYS_PAGES)) * std::int64_t{sysconf(_SC_PAGESIZE)};
    constexpr std::int64_t kLeast = std::int64_t{256} << 20;
    constexpr std::int64_t kMost = std::int64_t{1536} << 20;
    return std::clamp(std::min(4 * cache, available / 4), kLeast, kMost);
}

double stream_gb_s() {
    const std::int64_t n = stream_bytes() / 24;
    const auto a = std::make_unique_for_overwrite<double[]>(n);
    const auto b = std::make_unique_for_overwrite<double[]>(n);
    const auto c = std::make_unique_for_overwrite<double[]>(n);
    // First touched by the thread that uses it.
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) {
        a[i] = 0.0;
        b[i] = 1.0;
        c[i] = 2.0;
    }
    double best_s = 1e30;
    for (int run = 0; run < kRuns; ++run) {
        const auto start = Clock::now();
#pragma omp parallel for schedule(static)
        for (std::int64_t i = 0; i < n; ++i) {
            a[i] = b[i] + 3.0 * c[i];
        }
        best_s = std::min(best_s, seconds_since(start));
    }
    return 24e-9 * static_cast<double>(n) / best_s;
}

template <class T>
double fma_gflop_s() {
    using V = lanes::Wide<T>;
    // Two units of a latency of four to five cycles are full with ten chains.
    constexpr int kChains = 10;
    constexpr int kSteps = 4'000'000;
    constexpr int kNumbers = sizeof(V) / sizeof(T);
    V total = {};
    double best_s = 1e30;
    for (int run = 0; run < kRuns; ++run) {
        const auto start = Clock::now();
#pragma omp parallel
        {
            V x[kChains];
            for (int k = 0; k < kChains; ++k) {
                for (int lane = 0; lane < kNumbers; ++lane) {
                    x[k][lane] = static_cast<T>(k * kNumbers + lane);
                }
            }
            const V a = V{} + static_cast<T>(0.5);
            const V b = V{} + static_cast<T>(1.0);
            for (int step = 0; step < kSteps; ++step) {
#pragma GCC unroll 10
                for (int k = 0; k < kChains; ++k) {
                    x[k] = x[k] * a + b;
                }
            }
#pragma omp critical
            for (int k = 0; k < kChains; ++k) {
                total += x[k];
            }
        }
        best_s = std::min(best_s, seconds_since(start));
    }
    // Every number of every chain is used, so none can be left out.
    for (int lane = 0; lane < kNumbers; ++lane) {
        [[maybe_unused]] volatile T sink = total[lane];
    }
    return 2e-9 * kNumbers * kChains * kSteps * device::max_threads() / best_s;
}

}  // namespace

Machine measure_machine() {
    Machine machine;
    machine.cpu = cpu_name();
    machine.cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    device::set_threads(machine.cores);
    machine.stream_gb_s = stream_gb_s();
    machine.fma_gflop_s_fp64 = fma_gflop_s<double>();
    machine.fma_gflop_s_fp32 = fma_gflop_s<float>();
    return machine;
}

Machine measure_gpu(device::Queue& queue) {
    const device::cuda::DeviceInfo info = device::cuda::device_info(0);
    Machine machine;
    machine.cpu = cpu_name();
    machine.cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    machine.device = info.name + ", " + std::to_string(info.memory_bytes >> 20U) + " MiB, " +
                     std::to_string(info.multiprocessors) + " multiprocessors, at most " +
                     std::to_string(info.clock_mhz) + " MHz, driver for CUDA " +
                     std::to_string(info.driver_version / 1000) + "." +
                     std::to_string(info.driver_version % 1000 / 10);
    machine.stream_gb_s = copy_gb_s(queue);
    machine.fma_gflop_s_fp64 = fma_gflop_s_fp64(queue);
    machine.fma_gflop_s_fp32 = fma_gflop_s_fp32(queue);
    return machine;
}

}  // namespace kaname::bench
