// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/lanes/blas1_body.hpp"
#include "solvers/lanes/cg_passes.hpp"
#include "solvers/lanes/share.hpp"

/// Number i of all lanes; those that store are called for items that are not owned, too.
namespace kaname::lanes::body {

/// r = b - r; sum[0] += b b, sum[1] += r r.
template <int L = kLanes>
struct Residual {
    static constexpr const char* kName = "residual";
    static constexpr bool kStores = true;
    static constexpr int kSums = 2;
    using GpuShare = LaneArrays<L>;
    const double* b;
    double* r;
    int numbers_of_item;
    [[nodiscard]] KANAME_HD int numbers() const { return numbers_of_item; }
    template <class P, class V>
    KANAME_HD void operator()(std::int64_t i, const P& p, V (&sum)[kSums]) const {
        const V load = p.load(b, i);
        const V value = load - p.load(r, i);
        p.store(r, i, value);
        sum[0] += load * load;
        sum[1] += value * value;
    }
};

/// x += a p, r -= a Ap; sum[0] += r r.
template <int L = kLanes>
struct Update {
    static constexpr const char* kName = "update";
    static constexpr bool kStores = true;
    static constexpr int kSums = 1;
    using GpuShare = LaneArrays<L>;
    Scalars<double, L> a;
    const double* p;
    const double* Ap;
    double* x;
    double* r;
    int numbers_of_item;
    [[nodiscard]] KANAME_HD int numbers() const { return numbers_of_item; }
    template <class P, class V>
    KANAME_HD void operator()(std::int64_t i, const P& share, V (&sum)[kSums]) const {
        const V step = share.per_lane(a.v);
        share.store(x, i, share.load(x, i) + step * share.load(p, i));
        const V value = share.load(r, i) - step * share.load(Ap, i);
        share.store(r, i, value);
        sum[0] += value * value;
    }
};

}  // namespace kaname::lanes::body
