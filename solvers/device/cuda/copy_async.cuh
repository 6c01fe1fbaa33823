// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// One number from a GPU's memory to a block's shared memory past the registers (PTX ISA, cp.async);
// the thread that asked has it after wait_for_copies().
namespace kaname::device::cuda {

#ifdef __CUDACC__

template <class T>
__device__ void copy_async(T* shared, const T* from) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(shared))),
                 "l"(from), "n"(sizeof(T))
                 : "memory");
}
__device__ inline void wait_for_copies() {
    asm volatile("cp.async.wait_all;" ::: "memory");
}

#else

template <class T>
void copy_async(T* shared, const T* from) {
    *shared = *from;
}
inline void wait_for_copies() {}

#endif

}  // namespace kaname::device::cuda
