// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "solvers/base/simd.hpp"
#include "solvers/lanes/lanes.hpp"

namespace kaname::lanes {

/// Elements that one SIMD register advances together: kLanes sources x kGroup<T> elements.
template <class T>
inline constexpr int kGroup = kRegisterBytes < int(sizeof(T)) * kLanes
                                  ? 1
                                  : kRegisterBytes / (int(sizeof(T)) * kLanes);

/// kGroup elements x kLanes sources in one register.
template <class T, int Group = kGroup<T>>
using Wide __attribute__((vector_size(sizeof(T) * kLanes * Group))) = T;

template <class T, int Group, std::size_t... E>
inline Wide<T, Group> gather_numbers(const T* const* place, int offset, std::index_sequence<E...>) {
    return Wide<T, Group>{place[E][offset]...};
}

/// Lanes of Group different places, side by side. Shuffles stay in registers, where assembling
/// the parts in memory would stall on store forwarding.
template <class T, int Group>
inline Wide<T, Group> gather_lanes(const T* const* place, int offset) {
    const Lanes<T> a = load_lanes(place[0] + offset);
    if constexpr (Group == 1) {
        return a;
    } else if constexpr (kLanes == 1) {
        return gather_numbers<T, Group>(place, offset, std::make_index_sequence<Group>());
    } else {
        const auto ab =
            __builtin_shufflevector(a, load_lanes(place[1] + offset), 0, 1, 2, 3, 4, 5, 6, 7);
        if constexpr (Group == 2) {
            return ab;
        } else {
            const auto cd =
                __builtin_shufflevector(load_lanes(place[2] + offset),
                                        load_lanes(place[3] + offset), 0, 1, 2, 3, 4, 5, 6, 7);
            return __builtin_shufflevector(ab, cd, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
                                           15);
        }
    }
}

/// The lanes of element E.
template <class T, int Group, int E>
inline Lanes<T> lanes_of(const Wide<T, Group>& v) {
    if constexpr (Group == 1) {
        return v;
    } else if constexpr (kLanes == 1) {
        return Lanes<T>{v[E]};
    } else {
        return __builtin_shufflevector(v, v, 4 * E, 4 * E + 1, 4 * E + 2, 4 * E + 3);
    }
}

/// One number per element, repeated over the lanes. A shuffle that widens four numbers would go
/// through memory with GCC 12, and every load would wait for a store it cannot forward.
template <class T, int Group>
inline Wide<T, Group> spread(const T* per_element) {
    if constexpr (Group == 1) {
        return Wide<T, 1>{} + per_element[0];
    } else if constexpr (kLanes == 1) {
        Wide<T, Group> v;
        __builtin_memcpy(&v, per_element, sizeof v);
        return v;
    } else if constexpr (Group == 2) {
        const Lanes<T> a = Lanes<T>{} + per_element[0];
        const Lanes<T> b = Lanes<T>{} + per_element[1];
        return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
    } else {
#if defined(__AVX512F__)
        // All four in every quarter, then number e over quarter e. The masked forms say the same
        // without the undefined register that the plain ones make GCC 12 warn of.
        constexpr __mmask16 kAll = 0xffff;
        const __m512 all = _mm512_maskz_broadcast_f32x4(kAll, _mm_loadu_ps(per_element));
        return _mm512_maskz_permutevar_ps(
            kAll, all, _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0));
#endif
    }
}

}  // namespace kaname::lanes
