// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/lanes/blas1.hpp"
#include "solvers/lanes/share.hpp"

/// The bodies here are the vector kernels' work on item i, one number of all lanes.
namespace kaname::lanes::body {

/// One scalar per lane, for the GPU, which cannot use std::array.
template <class T, int L>
struct Scalars {
    T v[L];
    Scalars() = default;
    explicit Scalars(const LaneScalars& scalars) {
        static_assert(L == int(std::tuple_size_v<LaneScalars>));
        for (int lane = 0; lane < L; ++lane) {
            v[lane] = static_cast<T>(scalars[lane]);
        }
    }
};

/// y = a x + b y; what y holds in lanes where b = 0 does not matter. x may be narrower than y.
template <class T, int L = kLanes, class X = T>
struct Axpby {
    static constexpr const char* kName = "axpby";
    using GpuShare = LaneArrays<L>;
    Scalars<T, L> a, b;
    const X* x;
    T* y;
    template <class P>
    KANAME_HD void operator()(std::int64_t i, const P& p) const {
        const PackOf<P, T> factor = p.per_lane(b.v);
        const PackOf<P, T> kept = p.where(factor, factor * p.load(y, i));
        if constexpr (sizeof(X) < sizeof(T)) {
            p.store(y, i, p.per_lane(a.v) * p.load64(x, i) + kept);
        } else {
            p.store(y, i, p.per_lane(a.v) * p.load(x, i) + kept);
        }
    }
};

/// y = a x in other precision; the product is formed in FP64.
template <class From, class To, int L = kLanes>
struct Scale {
    static constexpr const char* kName = "scale";
    using GpuShare = LaneArrays<L>;
    Scalars<double, L> a;
    const From* x;
    To* y;
    template <class P>
    KANAME_HD void operator()(std::int64_t i, const P& p) const {
        p.store(y, i, p.per_lane(a.v) * p.load64(x, i));
    }
};

/// y = x - y.
template <int L = kLanes>
struct SubtractFrom {
    static constexpr const char* kName = "subtract_from";
    static constexpr bool kAnyLanes = true;
    using GpuShare = LaneArrays<L>;
    const float* x;
    float* y;
    template <class P>
    KANAME_HD void operator()(std::int64_t i, const P& p) const {
        p.store(y, i, p.load(x, i) - p.load(y, i));
    }
};

template <class T, int L = kLanes>
struct Fill {
    static constexpr const char* kName = "fill";
    static constexpr bool kAnyLanes = true;
    using GpuShare = LaneArrays<L>;
    T value;
    T* y;
    template <class P>
    KANAME_HD void operator()(std::int64_t i, const P& p) const {
        p.store(y, i, p.constant(value));
    }
};

/// Item i of the list.
template <class T, int L = kLanes>
struct ZeroDofs {
    static constexpr const char* kName = "zero_dofs";
    using GpuShare = LaneArrays<L>;
    const std::int32_t* dofs;
    T* x;
    template <class P>
    KANAME_HD void operator()(std::int64_t i, const P& p) const {
        p.store(x, dofs[i], p.constant(T(0)));
    }
};

template <class T, int L = kLanes>
struct ScaleItems {
    static constexpr const char* kName = "scale_items";
    using GpuShare = LaneArrays<L>;
    const T* w;
    T* y;
    template <class P>
    KANAME_HD void operator()(std::int64_t i, const P& p) const {
        p.store(y, i, w[i] * p.load(y, i));
    }
};

template <class T, int L = kLanes>
struct ZeroLane {
    static constexpr const char* kName = "zero_lane";
    using GpuShare = LaneArrays<L>;
    int lane;
    T* x;
    template <class P>
    KANAME_HD void operator()(std::int64_t i, const P&) const {
        x[i * L + lane] = T(0);
    }
};

/// y[lane] += sum_from A[from][lane] x[from].
template <int L = kLanes>
struct AddMixed {
    static constexpr const char* kName = "add_mixed";
    using GpuShare = LaneArrays<L>;
    double A[L][L];
    const double* x;
    double* y;
    template <class P>
    KANAME_HD void operator()(std::int64_t i, const P& p) const {
        const PackOf<P, double> from = p.load(x, i);
        PackOf<P, double> to = p.load(y, i);
        KANAME_UNROLL(32)
        for (int k = 0; k < L; ++k) {
            to += from[k] * p.per_lane(A[k]);
        }
        p.store(y, i, to);
    }
};

/// sum[0][lane] += x y of number i.
template <class T, int L = kLanes, class X = T>
struct Dot {
    static constexpr const char* kName = "dot";
    static constexpr int kSums = 1;
    using GpuShare = LaneArrays<L>;
    const X* x;
    const T* y;
    int numbers_of_item;
    [[nodiscard]] KANAME_HD int numbers() const { return numbers_of_item; }
    template <class P, class V>
    KANAME_HD void operator()(std::int64_t i, const P& p, V (&sum)[kSums]) const {
        sum[0] += p.load64(x, i) * p.load64(y, i);
    }
};

/// sum[lane of x][lane of y] += x y.
template <int L = kLanes>
struct Gram {
    static constexpr const char* kName = "gram";
    static constexpr int kSums = L;
    using GpuShare = LaneArrays<L>;
    const double* x;
    const double* y;
    int numbers_of_item;
    [[nodiscard]] KANAME_HD int numbers() const { return numbers_of_item; }
    template <class P, class V>
    KANAME_HD void operator()(std::int64_t i, const P& p, V (&sum)[kSums]) const {
        const V from = p.load(y, i);
        KANAME_UNROLL(32)
        for (int k = 0; k < L; ++k) {
            sum[k] += x[i * L + k] * from;
        }
    }
};

}  // namespace kaname::lanes::body
