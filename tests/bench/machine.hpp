// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/device/queue.hpp"
#include "tests/bench/report.hpp"

namespace kaname::bench {

/// Names this machine and measures it with all its cores:
///   stream  a = b + s c in FP64 on arrays beyond the caches, 24 B per element (no write allocate)
///   fma     independent multiply-adds in registers, 2 flop each; what this build's -march reaches
/// Each is the best of a few runs. Sets the number of threads.
[[nodiscard]] Machine measure_machine();

/// Measures the queue's GPU in the same way: the stream is a copy on the device (bytes read plus
/// written).
/// cpu and cores stay the host's.
[[nodiscard]] Machine measure_gpu(device::Queue& queue);

}  // namespace kaname::bench
