// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "solvers/parallel/pack.hpp"

/// Packs of several elements to packs of one element, and back.
namespace kaname::aderdg::kernels {

template <class T>
using PackIndex = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

/// Number k of the pack of `a` whose bit `distance` of k is clear and of b's neighbours where it is
/// set (low), or the other way round (high).
template <class T, int distance, bool high, int... k>
inline Pack<T> exchanged(const Pack<T>& a, const Pack<T>& b, std::integer_sequence<int, k...>) {
    typedef PackIndex<T> Places __attribute__((vector_size(kPackBytes)));
    constexpr int kSize = kPack<T>;
    const Places places = {(high ? ((k & distance) ? kSize + k : k + distance)
                                 : ((k & distance) ? kSize + k - distance : k))...};
    return {__builtin_shuffle(a.v, b.v, places)};
}

/// rows[i] number (j, lane) becomes rows[j] number (i, lane), for packs of kPack/lanes elements.
template <class T, int lanes, int distance = lanes>
inline void transpose(Pack<T>* rows) {
    if constexpr (distance < kPack<T>) {
        constexpr int kElements = kPack<T> / lanes, kApart = distance / lanes;
        constexpr auto kAll = std::make_integer_sequence<int, kPack<T>>();
#pragma GCC unroll 16
        for (int i = 0; i < kElements; ++i) {
            if ((i & kApart) == 0) {
                const Pack<T> a = rows[i], b = rows[i + kApart];
                rows[i] = exchanged<T, distance, false>(a, b, kAll);
                rows[i + kApart] = exchanged<T, distance, true>(a, b, kAll);
            }
        }
        transpose<T, lanes, 2 * distance>(rows);
    }
}

/// Numbers of a record of `items` times the lanes, padded so that it can be transposed.
template <class T>
constexpr int record_size(int items, int lanes) {
    const int elements = kPack<T> / lanes;
    return (items + elements - 1) / elements * kPack<T>;
}

/// Reads `items` packs of a block from one record per element; `items` is rounded up to whole
/// transposes.
template <class T, int lanes>
inline void read_records(const T* const* records, int items, Pack<T>* to) {
    constexpr int kElements = kPack<T> / lanes;
    for (int k = 0; k < items; k += kElements) {
        Pack<T> rows[kElements];
#pragma GCC unroll 16
        for (int e = 0; e < kElements; ++e) {
            rows[e] = load_pack(records[e] + k * lanes);
        }
        transpose<T, lanes>(rows);
#pragma GCC unroll 16
        for (int e = 0; e < kElements; ++e) {
            to[k + e] = rows[e];
        }
    }
}

/// Writes `items` packs of a block to consecutive records of `size` numbers; `items` is rounded up
/// as in read_records.
template <class T, int lanes>
inline void write_records(const Pack<T>* from, int items, T* records, int size) {
    constexpr int kElements = kPack<T> / lanes;
    for (int k = 0; k < items; k += kElements) {
        Pack<T> rows[kElements];
#pragma GCC unroll 16
        for (int e = 0; e < kElements; ++e) {
            rows[e] = from[k + e];
        }
        transpose<T, lanes>(rows);
#pragma GCC unroll 16
        for (int e = 0; e < kElements; ++e) {
            store_pack(records + static_cast<std::ptrdiff_t>(e) * size + k * lanes, rows[e]);
        }
    }
}

}  // namespace kaname::aderdg::kernels
