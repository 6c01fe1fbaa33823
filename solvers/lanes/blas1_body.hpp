// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/lanes/blas1.hpp"
#include "solvers/lanes/quad.hpp"

/// What one GPU thread of each vector kernel does: item i is one number of all lanes. Tests run
/// them on the CPU over all i, against the CPU's kernels.
namespace kaname::lanes::body {

/// LaneScalars for the GPU, which cannot use std::array.
template <class T>
struct Scalars {
    T v[kLanes];
    Scalars() = default;
    explicit Scalars(const LaneScalars& scalars) {
        for (int lane = 0; lane < kLanes; ++lane) {
            v[lane] = static_cast<T>(scalars[lane]);
        }
    }
};

/// y = a x + b y; y is not read in lanes where b = 0.
template <class T>
struct Axpby {
    Scalars<T> a, b;
    const Quad<T>* x;
    Quad<T>* y;
    KANAME_HD void operator()(std::int64_t i) const {
        const Quad<T> from = x[i];
        Quad<T> to = y[i];
        KANAME_UNROLL(4)
        for (int lane = 0; lane < kLanes; ++lane) {
            const T kept = b.v[lane] != T(0) ? b.v[lane] * to.v[lane] : T(0);
            to.v[lane] = a.v[lane] * from.v[lane] + kept;
        }
        y[i] = to;
    }
};

/// y = a x in other precision; the product is formed in FP64.
template <class From, class To>
struct Scale {
    Scalars<double> a;
    const Quad<From>* x;
    Quad<To>* y;
    KANAME_HD void operator()(std::int64_t i) const {
        const Quad<From> from = x[i];
        Quad<To> to;
        KANAME_UNROLL(4)
        for (int lane = 0; lane < kLanes; ++lane) {
            to.v[lane] = static_cast<To>(a.v[lane] * static_cast<double>(from.v[lane]));
        }
        y[i] = to;
    }
};

/// y = x - y.
struct SubtractFrom {
    const Quad<float>* x;
    Quad<float>* y;
    KANAME_HD void operator()(std::int64_t i) const {
        const Quad<float> from = x[i];
        Quad<float> to = y[i];
        KANAME_UNROLL(4)
        for (int lane = 0; lane < kLanes; ++lane) {
            to.v[lane] = from.v[lane] - to.v[lane];
        }
        y[i] = to;
    }
};

template <class T>
struct Fill {
    T value;
    Quad<T>* y;
    KANAME_HD void operator()(std::int64_t i) const {
        KANAME_UNROLL(4)
        for (int lane = 0; lane < kLanes; ++lane) {
            y[i].v[lane] = value;
        }
    }
};

/// Item i of the list.
template <class T>
struct ZeroDofs {
    const std::int32_t* dofs;
    Quad<T>* x;
    KANAME_HD void operator()(std::int64_t i) const { x[dofs[i]] = Quad<T>{}; }
};

template <class T>
struct ScaleItems {
    const T* w;
    Quad<T>* y;
    KANAME_HD void operator()(std::int64_t i) const {
        KANAME_UNROLL(4)
        for (int lane = 0; lane < kLanes; ++lane) {
            y[i].v[lane] *= w[i];
        }
    }
};

template <class T>
struct ZeroLane {
    int lane;
    Quad<T>* x;
    KANAME_HD void operator()(std::int64_t i) const { x[i].v[lane] = T(0); }
};

/// y[lane] += sum_from A[from][lane] x[from].
struct AddMixed {
    double A[kLanes][kLanes];
    const Quad<double>* x;
    Quad<double>* y;
    KANAME_HD void operator()(std::int64_t i) const {
        const Quad<double> from = x[i];
        Quad<double> to = y[i];
        KANAME_UNROLL(4)
        for (int k = 0; k < kLanes; ++k) {
            KANAME_UNROLL(4)
            for (int lane = 0; lane < kLanes; ++lane) {
                to.v[lane] += from.v[k] * A[k][lane];
            }
        }
        y[i] = to;
    }
};

/// sum[lane] += x y of number i, whose item is i / per_item.
template <class T>
struct Dot {
    const Quad<T>* x;
    const Quad<T>* y;
    int per_item;
    const std::uint8_t* owned;  ///< null: all
    KANAME_HD void operator()(std::int64_t i, double (&sum)[kLanes]) const {
        if (owned != nullptr && owned[i / per_item] == 0) {
            return;
        }
        const Quad<T> a = x[i];
        const Quad<T> b = y[i];
        KANAME_UNROLL(4)
        for (int lane = 0; lane < kLanes; ++lane) {
            sum[lane] += static_cast<double>(a.v[lane]) * static_cast<double>(b.v[lane]);
        }
    }
};

/// sum[lane of x * kLanes + lane of y] += x y.
struct Gram {
    const Quad<double>* x;
    const Quad<double>* y;
    int per_item;
    const std::uint8_t* owned;
    KANAME_HD void operator()(std::int64_t i, double (&sum)[kLanes * kLanes]) const {
        if (owned != nullptr && owned[i / per_item] == 0) {
            return;
        }
        const Quad<double> a = x[i];
        const Quad<double> b = y[i];
        KANAME_UNROLL(4)
        for (int k = 0; k < kLanes; ++k) {
            KANAME_UNROLL(4)
            for (int lane = 0; lane < kLanes; ++lane) {
                sum[k * kLanes + lane] += a.v[k] * b.v[lane];
            }
        }
    }
};

}  // namespace kaname::lanes::body
