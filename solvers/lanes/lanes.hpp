// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/lanes/lane_count.hpp"

namespace kaname::lanes {

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

}  // namespace kaname::lanes
