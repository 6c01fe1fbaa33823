// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/device/hd.hpp"
#include "solvers/lanes/lane_count.hpp"
#include "solvers/viscoelastic/kernels/vertical_springs.hpp"

namespace kaname::viscoelastic::body {

/// One lane of one row; item = row * kLanes + lane.
template <class T>
struct SpringRow {
    const std::int32_t* node;
    const std::int32_t* ptr;
    const std::int32_t* col;
    const T* val;
    const T* x;
    T* y;

    [[nodiscard]] KANAME_HD static std::int64_t vertical(std::int32_t node, int lane) {
        return (std::int64_t(node) * 3 + 2) * lanes::kLanes + lane;
    }
    KANAME_HD void operator()(std::int64_t item) const {
        const std::int64_t row = item / lanes::kLanes;
        const int lane = static_cast<int>(item % lanes::kLanes);
        T sum = T(0);
        for (std::int32_t k = ptr[row]; k < ptr[row + 1]; ++k) {
            sum += val[k] * x[vertical(col[k], lane)];
        }
        y[vertical(node[row], lane)] += sum;
    }
};

template <class T>
[[nodiscard]] SpringRow<T> spring_row(const VerticalSprings<T>& springs, device::View<const T> x,
                                      device::View<T> y) {
    return {springs.node.data(), springs.ptr.data(), springs.col.data(),
            springs.val.data(),  x.data(),           y.data()};
}

}  // namespace kaname::viscoelastic::body
