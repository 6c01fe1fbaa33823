// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>

#include "solvers/lanes/blas1.hpp"
#include "solvers/lanes/lanes.hpp"
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

/// Number i of all lanes; those that store are called for items that are not owned, too.

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

/// Item i is one number of all lanes.

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
