// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/device/hd.hpp"
#include "solvers/lanes/history.hpp"

/// What one GPU thread does: number i, lane included.
namespace kaname::lanes::body {

struct SecondDifference {
    const double* du;
    const double* newest;
    const double* before;
    float* x;
    KANAME_HD void operator()(std::int64_t i) const {
        x[i] = static_cast<float>(du[i] - 2.0 * newest[i] + before[i]);
    }
};

struct AddScaled {
    double w;
    const float* x;
    double* y;
    KANAME_HD void operator()(std::int64_t i) const { y[i] += w * static_cast<double>(x[i]); }
};

struct AddHistory {
    HistorySum sum;
    double* y;
    KANAME_HD void operator()(std::int64_t i) const {
        const int lane = static_cast<int>(i % kLanes);
        const double newest = sum.newest[i];
        double value = sum.a[lane] * newest;
        if (sum.before != nullptr) {
            value += sum.b[lane] * (newest - sum.before[i]);
        }
        for (int k = 0; k < sum.n_x; ++k) {
            value += sum.c[k][lane] * static_cast<double>(sum.x[k][i]);
        }
        y[i] = value;
    }
};

}  // namespace kaname::lanes::body
