// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <type_traits>

#include "solvers/parallel/pack.hpp"

namespace kaname::voxelwave {

/// Numbers of nodes or voxels to the lanes of a pack: number k of `lanes` = 1, 2 or 4 sources.
template <class T>
class Spread {
public:
    explicit Spread(int lanes) : log_lanes_(lanes / 2) {
        for (int k = 0; k < kPack<T>; ++k) {
            place_[k] = k / lanes;
        }
    }
    /// of[i / lanes ...] for the pack that begins at i, a multiple of kPack.
    Pack<T> operator()(const T* of, int i) const {
        return {__builtin_shuffle(load_pack(of + (i >> log_lanes_)).v, place_)};
    }

private:
    using Index = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
    typedef Index Places __attribute__((vector_size(kPackBytes)));
    int log_lanes_;
    Places place_{};
};

/// Packs along a row moved by a voxel, `lanes` = 1, 2 or 4 numbers.
template <class T>
class Shift {
public:
    explicit Shift(int lanes) : lanes_(lanes) {
        for (int k = 0; k < kPack<T>; ++k) {
            place_[0][k] = k + lanes;
            place_[1][k] = kPack<T> + k - lanes;
        }
    }
    /// Returns the numbers a voxel ahead of `a`, which `b` follows.
    Pack<T> ahead(const Pack<T>& a, const Pack<T>& b) const { return moved(a, b, 0, lanes_); }
    /// Returns the numbers a voxel behind `b`, which follows `a`.
    Pack<T> behind(const Pack<T>& a, const Pack<T>& b) const {
        return moved(a, b, 1, kPack<T> - lanes_);
    }

private:
    using Index = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
    typedef Index Places __attribute__((vector_size(kPackBytes)));

    Pack<T> moved(const Pack<T>& a, const Pack<T>& b, int way, int first) const {
#ifdef __AVX512F__
        (void)first;
        return {__builtin_shuffle(a.v, b.v, place_[way])};
#else
        (void)way;  // without this shuffle by one instruction
        alignas(kPackBytes) T both[2 * kPack<T>];
        store_pack(both, a);
        store_pack(both + kPack<T>, b);
        return load_pack(both + first);
#endif
    }

    int lanes_;
    Places place_[2]{};
};

/// Length of a row with room for a whole pack anywhere in it and `beyond` it.
template <class T>
inline int padded(int length, int beyond = 0) {
    return (length + beyond + 2 * kPack<T> - 1) / kPack<T> * kPack<T>;
}

}  // namespace kaname::voxelwave
