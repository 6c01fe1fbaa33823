// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/lanes/history.hpp"
#include "solvers/lanes/share.hpp"

/// Item i is one number of all lanes.
namespace kaname::lanes::body {

template <int L = kLanes>
struct KeepIncrement {
    static constexpr const char* kName = "keep_increment";
    static constexpr bool kAnyLanes = true;
    using GpuShare = OneLane<L>;
    const double* du;
    const double* newest;
    double* before;
    float* x;
    template <class P>
    KANAME_HD void operator()(std::int64_t i, const P& p) const {
        const auto value = p.load(du, i);
        p.store(x, i, value - 2.0 * p.load(newest, i) + p.load(before, i));
        p.store(before, i, value);
    }
};

/// InMemory: weights are, not a, b and c.
template <bool InMemory, int L = kLanes>
struct AddHistory {
    static constexpr const char* kName = "history_sum";
    using GpuShare = LaneArrays<L>;
    HistorySumOf<L> sum;
    double* y;
    KANAME_HD const double* weights(int term) const {
        if constexpr (InMemory) {
            return sum.weights + term * L;
        } else {
            return term == 0 ? sum.a : term == 1 ? sum.b : sum.c[term - 2];
        }
    }
    template <class P>
    KANAME_HD void operator()(std::int64_t i, const P& p) const {
        const auto newest = p.load(sum.newest, i);
        auto value = p.per_lane(weights(0)) * newest;
        if (sum.before != nullptr) {
            value += p.per_lane(weights(1)) * (newest - p.load(sum.before, i));
        }
        KANAME_UNROLL(4)
        for (int k = 0; k < sum.n_x; ++k) {
            value += p.per_lane(weights(2 + k)) * p.load64(sum.x[k], i);
        }
        p.store(y, i, value);
    }
};

}  // namespace kaname::lanes::body
