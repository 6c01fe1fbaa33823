// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/predictors/earlier_increment.hpp"

#include <algorithm>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/lanes/history.hpp"

namespace kaname::predictors {

void earlier_increment(int back, device::View<const double> newest,
                       device::View<const double> before,
                       std::span<const device::View<const float>> x, device::View<double> du,
                       device::Queue& queue) {
    const int n_x = std::max(0, back - 1);
    if (n_x > static_cast<int>(x.size()) || n_x > lanes::HistorySum::kMostTerms) {
        throw Error(ErrorCode::InvalidArgument,
                    "increment " + std::to_string(back) + " before the newest is not known: " +
                        std::to_string(x.size()) + " second differences");
    }
    lanes::HistorySum sum;
    sum.newest = newest.data();
    sum.before = back > 0 ? before.data() : nullptr;
    std::fill_n(sum.a, lanes::kLanes, 1.0);
    std::fill_n(sum.b, lanes::kLanes, -static_cast<double>(back));
    sum.n_x = n_x;
    for (int k = 0; k < n_x; ++k) {
        sum.x[k] = x[k].data();
        std::fill_n(sum.c[k], lanes::kLanes, static_cast<double>(back - 1 - k));
    }
    lanes::history_sum(sum, du, queue);
}

}  // namespace kaname::predictors
