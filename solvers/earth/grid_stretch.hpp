// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace kaname::earth {

/// A coordinate x of the plan as e(x), in which the nodes of a grid are evenly spaced: the same
/// from `low` to `high`, and beyond, at a distance d from there,
///   e = edge +- scale asinh(d / scale),
/// so that nodes are sqrt(1 + (d/scale)^2) times as far apart on the plan. Twice continuously
/// differentiable, and so is a spline over e.
struct GridStretch {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    double scale_m = 1.0;

    [[nodiscard]] double even(double x) const {
        const double d = beyond(x);
        return d == 0.0 ? x : x - d + scale_m * std::asinh(d / scale_m);
    }
    [[nodiscard]] double place(double e) const {
        const double d = beyond(e);
        return d == 0.0 ? e : e - d + scale_m * std::sinh(d / scale_m);
    }
    /// de/dx
    [[nodiscard]] double density(double x) const {
        const double d = beyond(x) / scale_m;
        return d == 0.0 ? 1.0 : 1.0 / std::sqrt(1.0 + d * d);
    }

private:
    [[nodiscard]] double beyond(double x) const {
        return x > high ? x - high : std::min(x - low, 0.0);
    }
};

}  // namespace kaname::earth
