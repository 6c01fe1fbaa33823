// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

#include "solvers/device/buffer.hpp"

namespace kaname::device {

/// Values of the probe in FP32 and FP64, and the sums that come out of the queue's memory.
struct ProbeArgs {
    std::int64_t n = 0;
    View<float> x32;   ///< [n] scratch
    View<double> x64;  ///< [n] scratch
    std::array<double, 2>* sums = nullptr;
};
/// Fills both arrays with probe_value and sums them: integers below 2^53, exact in any order.
void probe_sums_cpu(const ProbeArgs& args);
void probe_sums_cuda(const ProbeArgs& args, Queue& queue);

/// Checks that a queue can compute: all multiprocessors fill memory by arithmetic and sum it, and
/// the answer must be right to the last bit. Throws DeviceError naming the call, or the two sums.
void probe(Queue& queue);

/// The part of probe that judges; `n` as in ProbeArgs.
void check_probe(const std::array<double, 2>& sums, std::int64_t n);

}  // namespace kaname::device
