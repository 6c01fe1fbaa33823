// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/lanes/lane_count.hpp"
#include "solvers/lanes/share.hpp"

namespace kaname::lanes::body {

/// A row of y = A x, in two sums: additions to a single one would wait for each other.
template <int L = lanes::kLanes>
struct DenseRow {
    static constexpr const char* kName = "dense_apply";
    static constexpr int kLanes = L;
    static constexpr int kNumbers = 1;
    using Number = float;
    const float* A;
    std::int64_t columns;
    const float* x;
    template <class P, class V>
    KANAME_HD void operator()(std::int64_t row, int first, int stride, const P& p,
                              V (&sum)[kNumbers]) const {
        const float* a = A + row * columns;
        V odd = p.constant(0.0F);
        std::int64_t k = first;
        for (; k + stride < columns; k += 2 * stride) {
            sum[0] += a[k] * p.load(x, k);
            odd += a[k + stride] * p.load(x, k + stride);
        }
        if (k < columns) {
            sum[0] += a[k] * p.load(x, k);
        }
        sum[0] += odd;
    }
};

}  // namespace kaname::lanes::body
