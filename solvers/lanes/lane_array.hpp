// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/device/hd.hpp"

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

}  // namespace kaname::lanes
