// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/device/buffer.hpp"
#include "solvers/lanes/lane_count.hpp"

namespace kaname::lanes {

/// Stores an increment du for predictors: x = du - 2 newest + before, rounded to FP32, and du
/// itself in place of `before`.
void keep_increment(device::View<const double> du, device::View<const double> newest,
                    device::View<double> before, device::View<float> x, device::Queue& queue);

/// A sum over the history of a predictor, weights per lane:
///   y = a newest + b (newest - before) + sum_k c_k x_k
template <int L>
struct HistorySumOf {
    static constexpr int kMostTerms = 16;
    const double* newest = nullptr;
    const double* before = nullptr;  ///< null: no such term
    const float* x[kMostTerms] = {};
    int n_x = 0;
    double a[L] = {};
    double b[L] = {};
    double c[kMostTerms][L] = {};
    /// Instead of a, b and c: all of them in the queue's memory, [2 + n_x][L].
    const double* weights = nullptr;
};
using HistorySum = HistorySumOf<kLanes>;
void history_sum(const HistorySum& sum, device::View<double> y, device::Queue& queue);

}  // namespace kaname::lanes
