// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>

#include "solvers/device/hd.hpp"
#include "solvers/lanes/lanes.hpp"

namespace kaname::lanes {

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

}  // namespace kaname::lanes
