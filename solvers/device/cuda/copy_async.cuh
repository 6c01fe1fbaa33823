// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>

/// Copies from a GPU's memory to shared memory that no register waits for.
namespace kaname::device::cuda {

/// Bytes at once, 4, 8 or a multiple of 16, as aligned on both sides. Seen by this thread after
/// wait_for_copies, by the others of its block after a barrier behind that.
template <int Bytes>
__device__ void copy_async(void* shared, const void* global) {
    static_assert(Bytes == 4 || Bytes == 8 || Bytes % 16 == 0);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    constexpr int kPart = Bytes % 16 == 0 ? 16 : Bytes;
    const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    const auto from = __cvta_generic_to_global(global);
#pragma unroll
    for (int part = 0; part < Bytes; part += kPart) {
        if constexpr (kPart == 16) {  // past the first-level cache
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                         :
                         : "r"(to + part), "l"(from + part)
                         : "memory");
        } else {
            asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
                         :
                         : "r"(to + part), "l"(from + part), "n"(kPart)
                         : "memory");
        }
    }
#else
    std::memcpy(shared, global, Bytes);
#endif
}

__device__ inline void wait_for_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

}  // namespace kaname::device::cuda
