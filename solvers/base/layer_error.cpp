// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/layer_error.hpp"

#include <algorithm>
#include <cmath>

namespace kaname {

double layer_error(const LayerCase& of) {
    constexpr double kSizes = 2.0, kAtOnce = 3e-4, kOfChange = 2e-3;
    const double c = of.size_m / (kSizes * of.thickness_m);
    const double T = of.maxwell_times;
    return std::min(1.0, T > 0.0 ? kOfChange * (0.5 + 0.5 * T / (T + 3.0)) * std::pow(c, 4.0)
                                 : kAtOnce * std::pow(c, 3.0));
}

double stiffness_error(const StiffnessCase& of) {
    constexpr double kBlunt = 3.0, kOfChangeSince = 2.3;
    const double c = of.size_m / (kBlunt * of.thickness_m);
    return std::min(1.0, (of.maxwell_times > 0.0 ? kOfChangeSince : 1.0) * of.share * of.share *
                             std::min(1.0, std::pow(c, 4.0)));
}

}  // namespace kaname
