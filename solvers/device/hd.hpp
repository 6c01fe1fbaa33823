// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Functions marked KANAME_HD are compiled for the CPU and, by nvcc, for the GPU too: the pointwise
// arithmetic of both backends is one text.
#ifdef __CUDACC__
#define KANAME_HD __host__ __device__
#else
#define KANAME_HD
#endif

#define KANAME_PRAGMA(text) _Pragma(#text)
#ifdef __CUDACC__
#define KANAME_UNROLL(n) KANAME_PRAGMA(unroll)
#else
#define KANAME_UNROLL(n) KANAME_PRAGMA(GCC unroll n)
#endif
