// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/device/hd.hpp"

namespace kaname::kernels::body {

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

}  // namespace kaname::kernels::body
