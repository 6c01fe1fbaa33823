// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>

#include "solvers/lanes/lanes.hpp"
#include "solvers/lanes/share.hpp"
#include "solvers/viscoelastic/kernels/lane_steps.hpp"

/// Item i is one number of all lanes.
namespace kaname::viscoelastic::body {

template <int L = lanes::kLanes>
struct SpreadFirstLane {
    static constexpr const char* kName = "spread_first_lane";
    using GpuShare = lanes::LaneArrays<L>;
    double* x;
    template <class P>
    KANAME_HD void operator()(std::int64_t i, const P& p) const {
        p.store(x, i, p.constant(x[i * L]));
    }
};

template <int L = lanes::kLanes>
struct TakeFirstLane {
    static constexpr const char* kName = "take_first_lane";
    using GpuShare = lanes::LaneArrays<L>;
    const double* x;
    double* first;
    template <class P>
    KANAME_HD void operator()(std::int64_t i, const P&) const {
        first[i] = x[i * L];
    }
};

template <int L = lanes::kLanes>
struct ShiftLanes {
    static constexpr const char* kName = "shift_lanes";
    using GpuShare = lanes::LaneArrays<L>;
    LaneShift shift;
    double* x;
    template <class P>
    KANAME_HD void operator()(std::int64_t i, const P& p) const {
        constexpr int kLast = L - 1;
        auto value = p.load(x, i);
        KANAME_UNROLL(32)
        for (int lane = 0; lane < kLast; ++lane) {
            value[lane] = value[lane + 1];
        }
        double newest = 0.0;
        if (shift.newest == NewestLane::Line) {
            KANAME_UNROLL(7)
            for (int k = 0; k < LaneShift::kTerms; ++k) {
                newest += shift.weight[k] * shift.increment[k][i];
            }
        } else if (shift.newest == NewestLane::Ab2) {
            if constexpr (kLast > 1) {
                newest = 2.0 * value[kLast - 1] - value[kLast - 2];
            }
        }
        value[kLast] = newest;
        p.store(x, i, value);
    }
};

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
