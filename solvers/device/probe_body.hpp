// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/device/hd.hpp"

namespace kaname::device {

/// Returns the number that thread i of the probe computes in floating point T, in 0..4095: a chain
/// of multiply-adds on small integers, exact in FP32, so that every correct processor gets the
/// same.
template <class T>
KANAME_HD inline T probe_value(std::int64_t i) {
    T x = static_cast<T>(i % 1021);
    for (int step = 1; step <= 16; ++step) {
        x = x * static_cast<T>(3) + static_cast<T>(step);  // at most 3 * 4095 + 16
        x -= static_cast<T>(4096) * static_cast<T>(static_cast<int>(x) / 4096);
    }
    return x;
}

}  // namespace kaname::device
