// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Copies from a GPU's memory to shared memory that no register waits for.
namespace kaname::device::cuda {

/// One value of 4, 8 or a multiple of 16 bytes, as aligned on both sides. Seen by this thread after
/// wait_for_copies, by the others of its block after a barrier behind that (PTX ISA, cp.async).
template <class T>
__device__ void copy_async(T* shared, const T* global) {
    constexpr int kBytes = sizeof(T);
    static_assert(kBytes == 4 || kBytes == 8 || kBytes % 16 == 0);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    constexpr int kPart = kBytes % 16 == 0 ? 16 : kBytes;
    const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    const auto from = __cvta_generic_to_global(global);
#pragma unroll
    for (int part = 0; part < kBytes; part += kPart) {
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
    *shared = *global;
#endif
}

__device__ inline void wait_for_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

}  // namespace kaname::device::cuda
