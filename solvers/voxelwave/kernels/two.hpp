// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/device/hd.hpp"

namespace kaname::voxelwave {

/// Numbers of two sources, which lie side by side: one load and one address for both.
struct alignas(8) Two {
    float first, second;

    Two() = default;
    KANAME_HD Two(float both) : first(both), second(both) {}  // NOLINT: a factor of both
    KANAME_HD Two(float a, float b) : first(a), second(b) {}

    KANAME_HD friend Two operator+(Two a, Two b) {
        return {a.first + b.first, a.second + b.second};
    }
    KANAME_HD friend Two operator-(Two a, Two b) {
        return {a.first - b.first, a.second - b.second};
    }
    KANAME_HD friend Two operator*(Two a, Two b) {
        return {a.first * b.first, a.second * b.second};
    }
};

}  // namespace kaname::voxelwave
