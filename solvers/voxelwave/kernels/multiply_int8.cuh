// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <type_traits>

namespace kaname::voxelwave {

#ifdef __CUDACC__

// A warp's sum [16][8] += a [16][k] b [k][8] of 8-bit integers in 32-bit ones, k = 32 or 16; those
// of a are Digit, with or without signs. Thread 4 row + quarter has, lowest byte first, a(row, 4
// quarter ..), a(row + 8, the same), for k = 32 both 16 columns on; b(4 quarter .., row), for k =
// 32 16 rows on; and sums (row, 2 quarter), (row, 2 quarter + 1) and those 8 rows on (PTX ISA,
// mma.m16n8k32 and mma.m16n8k16).

template <class Digit>
__device__ void multiply_int8(std::int32_t (&sum)[4], const std::uint32_t (&a)[4],
                              const std::uint32_t (&b)[2]) {
    if constexpr (std::is_signed_v<Digit>) {
        asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
            "{%8,%9}, {%0,%1,%2,%3};"
            : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    } else {
        asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
            "{%8,%9}, {%0,%1,%2,%3};"
            : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
}

template <class Digit>
__device__ void multiply_int8(std::int32_t (&sum)[4], const std::uint32_t (&a)[2],
                              const std::uint32_t (&b)[1]) {
    if constexpr (std::is_signed_v<Digit>) {
        asm("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
            "{%0,%1,%2,%3};"
            : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
            : "r"(a[0]), "r"(a[1]), "r"(b[0]));
    } else {
        asm("mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
            "{%0,%1,%2,%3};"
            : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
            : "r"(a[0]), "r"(a[1]), "r"(b[0]));
    }
}

#else

using emulated::multiply_int8;  // the same digits and lanes, number by number

#endif

}  // namespace kaname::voxelwave
