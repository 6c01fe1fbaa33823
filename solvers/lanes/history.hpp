// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/device/buffer.hpp"
#include "solvers/lanes/lane_count.hpp"

namespace kaname::lanes {

/// x = du - 2 newest + before, rounded to FP32: what predictors keep of an increment.
void second_difference(device::View<const double> du, device::View<const double> newest,
                       device::View<const double> before, device::View<float> x,
                       device::Queue& queue);

/// y += w x, x in FP32.
void add_scaled(double w, device::View<const float> x, device::View<double> y,
                device::Queue& queue);

/// A sum over the history of a predictor, weights per lane:
///   y = a newest + b (newest - before) + sum_k c_k x_k
struct HistorySum {
    static constexpr int kMostTerms = 16;
    const double* newest = nullptr;
    const double* before = nullptr;  ///< null: no such term
    const float* x[kMostTerms] = {};
    int n_x = 0;
    double a[kLanes] = {};
    double b[kLanes] = {};
    double c[kMostTerms][kLanes] = {};
};
void history_sum(const HistorySum& sum, device::View<double> y, device::Queue& queue);

void second_difference_cpu(device::View<const double> du, device::View<const double> newest,
                           device::View<const double> before, device::View<float> x);
void add_scaled_cpu(double w, device::View<const float> x, device::View<double> y);
void history_sum_cpu(const HistorySum& sum, device::View<double> y);
void second_difference_cuda(device::View<const double> du, device::View<const double> newest,
                            device::View<const double> before, device::View<float> x,
                            device::Queue& queue);
void add_scaled_cuda(double w, device::View<const float> x, device::View<double> y,
                     device::Queue& queue);
void history_sum_cuda(const HistorySum& sum, device::View<double> y, device::Queue& queue);

}  // namespace kaname::lanes
