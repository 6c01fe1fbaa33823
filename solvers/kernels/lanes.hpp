// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace kaname::kernels {

/// Sources solved together. Every nodal array is [node][component][lane]: the lanes are adjacent,
/// so one SIMD register holds the same number of all sources and no gather is needed.
#ifdef KANAME_LANES
inline constexpr int kLanes = KANAME_LANES;  // 1: the build that measures one source at a time
#else
inline constexpr int kLanes = 4;
#endif
static_assert(kLanes == 1 || kLanes == 4);

/// The lanes of T as a GCC vector: element-wise arithmetic.
template <class T>
using Lanes __attribute__((vector_size(sizeof(T) * kLanes))) = T;

template <class T>
inline Lanes<T> load_lanes(const T* p) {
    Lanes<T> v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}
template <class T, class V>
inline void store_lanes(T* p, const V& v) {
    static_assert(sizeof(V) == sizeof(T) * kLanes);
    __builtin_memcpy(p, &v, sizeof v);
}

}  // namespace kaname::kernels
