// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/device/queue.hpp"

namespace kaname::device::cuda {

/// Ceilings of a GPU as it is found, best of a few runs. Each throws Unavailable without CUDA.
/// Bytes read plus bytes written per second of a copy far beyond the caches [GB/s].
[[nodiscard]] double copy_gb_s(Queue& queue);
/// Independent multiply-adds in registers, 2 flop each [GFLOP/s].
[[nodiscard]] double fma_gflop_s_fp32(Queue& queue);
[[nodiscard]] double fma_gflop_s_fp64(Queue& queue);

}  // namespace kaname::device::cuda
