// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/predicted_error.hpp"

#include <algorithm>
#include <cmath>

namespace kaname {

double box_error(const BoxCase& of) {
    if (of.station_m >= of.side_m) {
        return 1.0;
    }
    const double xi = of.station_m / of.side_m;
    const double reach = of.lid_m > 0.0 ? std::exp(-of.station_m / (2.5 * of.lid_m)) : 0.0;
    const double relaxed = of.maxwell_times / (of.maxwell_times + 13.3);
    return std::min(1.0, xi * xi * (0.27 + 0.75 * xi) * (1.0 + 11.5 * relaxed * reach));
}

double side_needed_m(BoxCase of, double error) {
    // The error falls with the distance of the sides.
    double near = of.station_m;
    double far = 2.0 * of.station_m;
    const auto at = [&](double side_m) {
        of.side_m = side_m;
        return box_error(of);
    };
    while (at(far) > error) {
        near = far;
        far *= 2.0;
    }
    for (int halving = 0; halving < 20; ++halving) {
        const double middle = 0.5 * (near + far);
        (at(middle) > error ? near : far) = middle;
    }
    return far;
}

double fault_error(double size_m, double distance_m) {
    constexpr double kAtDistance = 0.04, kOrder = 2.0;
    return size_m > 0.0 ? std::min(1.0, kAtDistance * std::pow(size_m / distance_m, kOrder)) : 0.0;
}

double station_error(double size_m, double distance_m) {
    constexpr double kAtGrowth = 0.01, kGrowth = 0.4;
    const double growth = std::max(0.0, size_m) / distance_m;
    return growth > 0.0 ? std::min(1.0, kAtGrowth * std::pow(growth / kGrowth, 2.0)) : 0.0;
}

double ErrorParts::total() const {
    return std::min(1.0, std::sqrt(fault * fault + stations * stations + layers * layers +
                                   box * box + dip * dip));
}

double guide_error(const GuideCase& of) {
    constexpr double kAtOnce = 0.007, kOfChange = 0.05, kSlipOutside = 0.35, kEnough = 0.2;
    if (!(of.maxwell_times > 0.0)) {
        return std::min(1.0, kAtOnce * of.lost);
    }
    const double outside = 1.0 - std::min(1.0, of.slips / kEnough);
    const double relaxed = 0.1 + 0.9 * of.maxwell_times / (of.maxwell_times + 3.0);
    return std::min(1.0, (kOfChange + kSlipOutside * outside) * relaxed * of.stands_out * of.lost);
}

double stiffness_error(const StiffnessCase& of) {
    constexpr double kBlunt = 3.5, kOrder = 6.0, kOfChangeSince = 2.3;
    const double c = of.size_m / (kBlunt * of.thickness_m);
    return std::min(1.0, (of.maxwell_times > 0.0 ? kOfChangeSince : 1.0) * of.share * of.share *
                             std::min(1.0, std::pow(c, kOrder)));
}

}  // namespace kaname
