// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/device/hd.hpp"

namespace kaname::lanes::body {

/// Number i of the packed array.
template <class T>
struct GatherItems {
    const std::int32_t* items;
    int width;
    const T* x;
    T* packed;
    KANAME_HD void operator()(std::int64_t i) const {
        packed[i] = x[std::int64_t(items[i / width]) * width + i % width];
    }
};

template <class T>
struct ScatterItems {
    const std::int32_t* items;
    int width;
    const T* packed;
    T* x;
    KANAME_HD void operator()(std::int64_t i) const {
        x[std::int64_t(items[i / width]) * width + i % width] = packed[i];
    }
};

/// Number i of the sums.
template <class T>
struct SumItems {
    const std::int32_t* ptr;
    const std::int32_t* items;
    int width;
    const T* x;
    T* packed;
    KANAME_HD void operator()(std::int64_t i) const {
        const std::int64_t group = i / width;
        T sum = T(0);
        for (std::int32_t k = ptr[group]; k < ptr[group + 1]; ++k) {
            sum += x[std::int64_t(items[k]) * width + i % width];
        }
        packed[i] = sum;
    }
};

}  // namespace kaname::lanes::body
