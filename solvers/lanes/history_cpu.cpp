// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/history.hpp"
#include "solvers/lanes/lanes.hpp"

namespace kaname::lanes {

void second_difference_cpu(device::View<const double> du, device::View<const double> newest,
                           device::View<const double> before, device::View<float> x) {
    const auto n = static_cast<std::int64_t>(du.size());
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) {
        x[i] = static_cast<float>(du[i] - 2.0 * newest[i] + before[i]);
    }
}

void add_scaled_cpu(double w, device::View<const float> x, device::View<double> y) {
    const auto n = static_cast<std::int64_t>(y.size());
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) {
        y[i] += w * static_cast<double>(x[i]);
    }
}

void history_sum_cpu(const HistorySum& sum, device::View<double> y) {
    const auto n = static_cast<std::int64_t>(y.size());
    const Lanes<double> a = load_lanes(sum.a);
    const Lanes<double> b = load_lanes(sum.b);
    Lanes<double> c[HistorySum::kMostTerms];
    for (int k = 0; k < sum.n_x; ++k) {
        c[k] = load_lanes(sum.c[k]);
    }
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; i += kLanes) {
        const Lanes<double> newest = load_lanes(sum.newest + i);
        Lanes<double> value = a * newest;
        if (sum.before != nullptr) {
            value += b * (newest - load_lanes(sum.before + i));
        }
        for (int k = 0; k < sum.n_x; ++k) {
            value += c[k] * __builtin_convertvector(load_lanes(sum.x[k] + i), Lanes<double>);
        }
        store_lanes(y.data() + i, value);
    }
}

}  // namespace kaname::lanes
