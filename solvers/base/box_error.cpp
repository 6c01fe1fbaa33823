// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/box_error.hpp"

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

}  // namespace kaname
