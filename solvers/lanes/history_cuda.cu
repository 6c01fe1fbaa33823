// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/device/cuda/launch.cuh"
#include "solvers/lanes/history_body.hpp"

namespace kaname::lanes {

using device::cuda::for_each;

void second_difference_cuda(device::View<const double> du, device::View<const double> newest,
                            device::View<const double> before, device::View<float> x,
                            device::Queue& queue) {
    for_each(static_cast<std::int64_t>(du.size()),
             body::SecondDifference{du.data(), newest.data(), before.data(), x.data()},
             "second_difference", queue);
}

void add_scaled_cuda(double w, device::View<const float> x, device::View<double> y,
                     device::Queue& queue) {
    for_each(static_cast<std::int64_t>(y.size()), body::AddScaled{w, x.data(), y.data()},
             "add_scaled", queue);
}

void history_sum_cuda(const HistorySum& sum, device::View<double> y, device::Queue& queue) {
    for_each(static_cast<std::int64_t>(y.size()), body::AddHistory{sum, y.data()}, "history_sum",
             queue);
}

}  // namespace kaname::lanes
