// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include "solvers/device/queue.hpp"

namespace kaname::device {

/// A CUDA stream, with the scratch memory that reductions of this queue share.
struct Queue::Stream {
    explicit Stream(int device_index);
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    int device = 0;
    int multiprocessors = 0;
    cudaStream_t stream = nullptr;
    static constexpr std::size_t kScratchBytes = std::size_t{1} << 20;
    void* scratch = nullptr;         ///< device
    unsigned int* counter = nullptr; ///< device, zero between kernels
    double* pinned = nullptr;        ///< host, for results that come back
    static constexpr std::size_t kPinnedNumbers = 64;
};

}  // namespace kaname::device

namespace kaname::device::cuda {

/// Throws DeviceFault with CUDA's name and text for the error, Exhausted when memory ran out.
void check(cudaError_t status, const char* what);

}  // namespace kaname::device::cuda
