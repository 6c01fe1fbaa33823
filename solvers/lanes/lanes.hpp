// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/lanes/lane_count.hpp"

namespace kaname::lanes {

/// Size of a SIMD register.
#if defined(__AVX512F__)
inline constexpr int kRegisterBytes = 64;
#elif defined(__AVX2__)
inline constexpr int kRegisterBytes = 32;
#else
inline constexpr int kRegisterBytes = 16;
#endif

/// The lanes of T as a GCC vector: element-wise arithmetic.
template <class T, int L = kLanes>
using Lanes __attribute__((vector_size(sizeof(T) * L))) = T;

template <int L = kLanes, class T>
inline Lanes<T, L> load_lanes(const T* p) {
    Lanes<T, L> v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}
/// V: a GCC vector of T.
template <class T, class V>
inline void store_lanes(T* p, const V& v) {
    static_assert(sizeof(v[0]) == sizeof(T));
    __builtin_memcpy(p, &v, sizeof v);
}

}  // namespace kaname::lanes
