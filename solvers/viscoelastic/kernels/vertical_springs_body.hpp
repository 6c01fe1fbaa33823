// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/lanes/lane_count.hpp"
#include "solvers/lanes/share.hpp"

namespace kaname::viscoelastic::body {

/// y_z += S x_z in one row.
template <class T, int L = lanes::kLanes>
struct SpringRow {
    static constexpr const char* kName = "apply_springs";
    using GpuShare = lanes::OneLane<L>;
    const std::int32_t* node;
    const std::int32_t* ptr;
    const std::int32_t* col;
    const T* val;
    const T* x;
    T* y;

    [[nodiscard]] KANAME_HD static constexpr std::int64_t vertical(std::int32_t node) {
        return std::int64_t(node) * 3 + 2;
    }
    template <class P>
    KANAME_HD void operator()(std::int64_t row, const P& p) const {
        auto sum = p.load(y, vertical(node[row]));
        for (std::int32_t k = ptr[row]; k < ptr[row + 1]; ++k) {
            sum += val[k] * p.load(x, vertical(col[k]));
        }
        p.store(y, vertical(node[row]), sum);
    }
};

}  // namespace kaname::viscoelastic::body
