// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

#include "solvers/base/pack.hpp"
#include "solvers/base/simd.hpp"
#include "solvers/device/hd.hpp"

namespace kaname::lanes {

/// Sources solved together. Every nodal array is [node][component][lane]: the lanes are adjacent,
/// so one SIMD register holds the same number of all sources and no gather is needed. Interfaces
/// have this many; bodies, packs and for_each take theirs as a template parameter.
#ifdef KANAME_LANES
inline constexpr int kLanes = KANAME_LANES;  // 1: the build that measures one source at a time
#else
inline constexpr int kLanes = kSourcesPerPack;
#endif
static_assert(kLanes > 0 && kLanes <= 32 && (kLanes & (kLanes - 1)) == 0,
              "a warp takes whole numbers, a SIMD register a power of two");

/// Width of a nodal array of vectors in space: numbers of a node, [3][kLanes].
inline constexpr int kVectorWidth = 3 * kLanes;

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

/// The lanes of one number as one load of a GPU's thread: element-wise arithmetic, as Lanes has it
/// on the CPU.
template <class T, int L>
struct alignas(sizeof(T) * L) LaneArray {
    T v[L];

    KANAME_HD T& operator[](int lane) { return v[lane]; }
    KANAME_HD const T& operator[](int lane) const { return v[lane]; }

    /// of(lane) in every lane.
    template <class Of>
    KANAME_HD static LaneArray each(const Of& of) {
        LaneArray r;
        KANAME_UNROLL(32)
        for (int lane = 0; lane < L; ++lane) {
            r.v[lane] = of(lane);
        }
        return r;
    }
    KANAME_HD friend LaneArray operator+(const LaneArray& a, const LaneArray& b) {
        return each([&](int lane) { return a.v[lane] + b.v[lane]; });
    }
    KANAME_HD friend LaneArray operator-(const LaneArray& a, const LaneArray& b) {
        return each([&](int lane) { return a.v[lane] - b.v[lane]; });
    }
    KANAME_HD friend LaneArray operator*(const LaneArray& a, const LaneArray& b) {
        return each([&](int lane) { return a.v[lane] * b.v[lane]; });
    }
    KANAME_HD friend LaneArray operator*(T a, const LaneArray& b) {
        return each([&](int lane) { return a * b.v[lane]; });
    }
    KANAME_HD LaneArray& operator+=(const LaneArray& other) { return *this = *this + other; }
    KANAME_HD LaneArray& operator-=(const LaneArray& other) { return *this = *this - other; }
};

/// The CPU's share of an item (share.hpp): all of it, a SIMD register per number.
template <int L>
struct AllLanes {
    static constexpr int kLanes = L;
    template <class T>
    using Pack = Lanes<T, L>;

    static constexpr int numbers(int all_numbers) { return all_numbers; }
    template <class T>
    static Lanes<T, L> load(const T* x, std::int64_t at) {
        return load_lanes<L>(x + at * L);
    }
    template <class T>
    static Lanes<double, L> load64(const T* x, std::int64_t at) {
        return __builtin_convertvector(load(x, at), Lanes<double, L>);
    }
    template <class T, class V>
    static void store(T* x, std::int64_t at, const V& v) {
        store_lanes(x + at * L, __builtin_convertvector(v, Lanes<T, L>));
    }
    template <class T>
    static Lanes<T, L> per_lane(const T* s) {
        return load_lanes<L>(s);
    }
    template <class T>
    static Lanes<T, L> constant(T c) {
        return Lanes<T, L>{} + c;
    }
    template <class V>
    static V where(const V& b, const V& v) {
        return b != V{} ? v : V{};
    }
};

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
