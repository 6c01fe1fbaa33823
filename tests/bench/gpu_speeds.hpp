// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/base/error.hpp"
#include "solvers/device/queue.hpp"

namespace kaname::bench {

/// Ceilings of a GPU as it is found, best of a few runs. Each throws Unavailable without CUDA.
/// Bytes read plus bytes written per second of a copy far beyond the caches [GB/s].
[[nodiscard]] double copy_gb_s(device::Queue& queue);
/// Independent multiply-adds in registers, 2 flop each [GFLOP/s].
[[nodiscard]] double fma_gflop_s_fp32(device::Queue& queue);
[[nodiscard]] double fma_gflop_s_fp64(device::Queue& queue);

#ifndef KANAME_HAVE_CUDA
[[noreturn]] inline double refuse_gpu_speed() {
    throw Error(ErrorCode::Unavailable, "this build has no CUDA backend");
}
inline double copy_gb_s(device::Queue&) {
    refuse_gpu_speed();
}
inline double fma_gflop_s_fp32(device::Queue&) {
    refuse_gpu_speed();
}
inline double fma_gflop_s_fp64(device::Queue&) {
    refuse_gpu_speed();
}
#endif

}  // namespace kaname::bench
