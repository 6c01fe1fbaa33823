// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/device/probe.hpp"

#include <string>

#include "solvers/base/error.hpp"
#include "solvers/device/probe_body.hpp"

namespace kaname::device {
namespace {

// Several full waves of threads on any GPU (132 multiprocessors hold 270,000), 12 MiB of memory.
constexpr std::int64_t kItems = std::int64_t{1} << 20;

}  // namespace

void probe_sums_cpu(const ProbeArgs& args) {
    *args.sums = {};
    for (std::int64_t i = 0; i < args.n; ++i) {
        args.x32[i] = probe_value<float>(i);
        args.x64[i] = probe_value<double>(i);
    }
    for (std::int64_t i = 0; i < args.n; ++i) {
        (*args.sums)[0] += args.x32[i];
        (*args.sums)[1] += args.x64[i];
    }
}

void check_probe(const std::array<double, 2>& sums, std::int64_t n) {
    double expected = 0.0;
    for (std::int64_t i = 0; i < n; ++i) {
        expected += static_cast<double>(probe_value<double>(i));
    }
    for (const double sum : sums) {
        if (sum != expected) {
            const DeviceFault fault{"probe kernel", "wrong answer", ""};
            throw DeviceError(fault,
                              describe(fault, "sums " + std::to_string(sums[0]) + " (FP32) and " +
                                                  std::to_string(sums[1]) + " (FP64), must be " +
                                                  std::to_string(expected)));
        }
    }
}

void probe(Queue& queue) {
    Buffer<float> x32(kItems, queue);
    Buffer<double> x64(kItems, queue);
    std::array<double, 2> sums{};
    const ProbeArgs args{kItems, x32, x64, &sums};
    KANAME_DISPATCH(queue, probe_sums, args)
    check_probe(sums, kItems);
}

}  // namespace kaname::device
