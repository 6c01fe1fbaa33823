// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "solvers/lanes/lanes.hpp"

/// How much of an item one call of a body treats. An item is a few numbers (the components of a
/// node, say), a number has L lanes:
///   AllLanes    all numbers, a pack is a SIMD register: the CPU's (all_lanes.hpp)
///   LaneArrays  one number, a pack is an array of its lanes: a GPU thread's
///   OneLane     all numbers, a pack is a plain number: a GPU thread's
///   OneNumber   one number, a pack is a plain number: a GPU thread's
/// A body names the share that suits a GPU (`using GpuShare`) and is called with AllLanes on the
/// CPU; it is written once, in terms of what all of them have:
///   Pack<T>          has + - * among themselves and with a T
///   numbers(n)       packs to treat of an item's n numbers
///   load(x, at)      pack `at` of x, counted in numbers; load64 widens to FP64
///   store(x, at, v)  rounds v to the type of x
///   per_lane(s)      s [L]: one scalar per lane
///   constant(c)      c in all lanes
///   where(b, v)      v where b is not zero, else zero
namespace kaname::lanes {

template <class P, class T>
using PackOf = typename P::template Pack<T>;

template <int L>
struct LaneArrays {
    static constexpr int kLanes = L;
    template <class T>
    using Pack = LaneArray<T, L>;

    int number = 0;

    KANAME_HD static constexpr int threads(int all_numbers) { return all_numbers; }
    KANAME_HD static LaneArrays of_thread(int thread) { return {thread}; }

    KANAME_HD static constexpr int numbers(int) { return 1; }
    template <class T>
    KANAME_HD Pack<T> load(const T* x, std::int64_t at) const {
        return reinterpret_cast<const Pack<T>*>(x)[at + number];
    }
    template <class T>
    KANAME_HD Pack<double> load64(const T* x, std::int64_t at) const {
        const Pack<T> v = load(x, at);
        return Pack<double>::each([&](int lane) { return static_cast<double>(v[lane]); });
    }
    template <class T, class V>
    KANAME_HD void store(T* x, std::int64_t at, const V& v) const {
        reinterpret_cast<Pack<T>*>(x)[at + number] =
            Pack<T>::each([&](int lane) { return static_cast<T>(v[lane]); });
    }
    template <class T>
    KANAME_HD static Pack<T> per_lane(const T* s) {
        return Pack<T>::each([&](int lane) { return s[lane]; });
    }
    template <class T>
    KANAME_HD static Pack<T> constant(T c) {
        return Pack<T>::each([&](int) { return c; });
    }
    template <class T>
    KANAME_HD static LaneArray<T, L> where(const LaneArray<T, L>& b, const LaneArray<T, L>& v) {
        return Pack<T>::each([&](int lane) { return b[lane] != T(0) ? v[lane] : T(0); });
    }
};

template <int L>
struct OneLane {
    static constexpr int kLanes = L;
    template <class T>
    using Pack = T;

    int lane = 0;

    KANAME_HD static constexpr int threads(int) { return L; }
    KANAME_HD static OneLane of_thread(int thread) { return {thread}; }

    KANAME_HD static constexpr int numbers(int all_numbers) { return all_numbers; }
    template <class T>
    KANAME_HD T load(const T* x, std::int64_t at) const {
        return x[at * L + lane];
    }
    template <class T>
    KANAME_HD double load64(const T* x, std::int64_t at) const {
        return static_cast<double>(load(x, at));
    }
    template <class T, class V>
    KANAME_HD void store(T* x, std::int64_t at, const V& v) const {
        x[at * L + lane] = static_cast<T>(v);
    }
    template <class T>
    KANAME_HD T per_lane(const T* s) const {
        return s[lane];
    }
    template <class T>
    KANAME_HD static T constant(T c) {
        return c;
    }
    template <class T>
    KANAME_HD static T where(T b, T v) {
        return b != T(0) ? v : T(0);
    }
};

template <int L>
struct OneNumber : OneLane<L> {
    int number = 0;

    KANAME_HD static constexpr int threads(int all_numbers) { return all_numbers * L; }
    KANAME_HD static OneNumber of_thread(int thread) { return {{thread % L}, thread / L}; }

    KANAME_HD static constexpr int numbers(int) { return 1; }
    template <class T>
    KANAME_HD T load(const T* x, std::int64_t at) const {
        return OneLane<L>::load(x, at + number);
    }
    template <class T>
    KANAME_HD double load64(const T* x, std::int64_t at) const {
        return static_cast<double>(load(x, at));
    }
    template <class T, class V>
    KANAME_HD void store(T* x, std::int64_t at, const V& v) const {
        OneLane<L>::store(x, at + number, v);
    }
};

/// Returns the count of numbers of a body's items: its own numbers(), or one.
template <class Body>
KANAME_HD constexpr int numbers_of(const Body& body) {
    if constexpr (requires { body.numbers(); }) {
        return body.numbers();
    } else {
        return 1;
    }
}

/// SumsOf holds the sums of a body of reduce.hpp: kSums numbers of all lanes.
template <class Body>
using SumsOf = std::array<double, std::size_t(Body::kSums) * Body::GpuShare::kLanes>;

/// kStoresToo is true if the body stores besides adding up, so that it runs for items that do not
/// count as well.
template <class Body>
inline constexpr bool kStoresToo = requires {
    Body::kStores;
};

}  // namespace kaname::lanes
