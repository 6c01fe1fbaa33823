// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/lanes/blas1_body.hpp"
#include "solvers/lanes/cg_passes.hpp"
#include "solvers/lanes/share.hpp"

/// Number i of all lanes; those that store are called for items that are not owned, too.
namespace kaname::lanes::body {

/// r = b - Ax in lanes with take != 0; sum[0] += b b, sum[1] += r r.
template <int L = kLanes>
struct Residual {
    static constexpr const char* kName = "residual";
    static constexpr bool kStores = true;
    static constexpr int kSums = 2;
    using GpuShare = LaneArrays<L>;
    Scalars<double, L> take, keep;
    const double* b;
    const double* Ax;
    double* r;
    int numbers_of_item;
    [[nodiscard]] KANAME_HD int numbers() const { return numbers_of_item; }
    template <class P, class V>
    KANAME_HD void operator()(std::int64_t i, const P& p, V (&sum)[kSums]) const {
        const V load = p.load(b, i);
        const V value = p.where(p.per_lane(take.v), load - p.load(Ax, i)) +
                        p.where(p.per_lane(keep.v), p.load(r, i));
        p.store(r, i, value);
        sum[0] += load * load;
        sum[1] += value * value;
    }
};

/// x += a p, r -= a Ap; sum[0] += r r.
template <class T, int L = kLanes>
struct Update {
    static constexpr const char* kName = "update";
    static constexpr bool kStores = true;
    static constexpr int kSums = 1;
    using GpuShare = LaneArrays<L>;
    Scalars<double, L> a;
    const T* p;
    const T* Ap;
    double* x;
    double* r;
    int numbers_of_item;
    [[nodiscard]] KANAME_HD int numbers() const { return numbers_of_item; }
    template <class P, class V>
    KANAME_HD void operator()(std::int64_t i, const P& share, V (&sum)[kSums]) const {
        const V step = share.per_lane(a.v);
        share.store(x, i, share.load(x, i) + step * share.load64(p, i));
        const V value = share.load(r, i) - step * share.load64(Ap, i);
        share.store(r, i, value);
        sum[0] += value * value;
    }
};

/// sum[0] += r p, sum[1] += p Ap, sum[2] += (d p)^2.
template <int L = kLanes>
struct DirectionProducts {
    static constexpr const char* kName = "direction_sums";
    static constexpr int kSums = 3;
    using GpuShare = LaneArrays<L>;
    const float* r;
    const float* p;
    const float* Ap;
    const float* d;
    int numbers_of_item;
    [[nodiscard]] KANAME_HD int numbers() const { return numbers_of_item; }
    template <class P, class V>
    KANAME_HD void operator()(std::int64_t i, const P& share, V (&sum)[kSums]) const {
        const V direction = share.load64(p, i);
        sum[0] += share.load64(r, i) * direction;
        sum[1] += direction * share.load64(Ap, i);
        const V weighted = static_cast<double>(d[i]) * direction;
        sum[2] += weighted * weighted;
    }
};

}  // namespace kaname::lanes::body
