// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

namespace kaname::earth {

/// Distance over which the slope of an extended surface dies out.
inline constexpr double kSlopeDecay_m = 30e3;

/// Limits of a surface's depth with a parabola of half-width `bend` about each limit: slope 1
/// inside, 0 outside.
struct DepthLimits {
    DepthLimits(double min_depth_m, double max_depth_m)
        : low(min_depth_m),
          high(max_depth_m),
          bend_low(std::min(kUpperBend_m, kBendOfRange * (high - low))),
          bend_high(kBendOfRange * (high - low)) {}

    [[nodiscard]] double operator()(double depth) const {
        const double up = (depth - (low - bend_low)) / (2.0 * bend_low);
        if (up < 1.0) {
            return up <= 0.0 ? low : low + bend_low * up * up;
        }
        const double down = ((high + bend_high) - depth) / (2.0 * bend_high);
        if (down < 1.0) {
            return down <= 0.0 ? high : high - bend_high * down * down;
        }
        return depth;
    }
    /// The depth clipped to the range that the limits let through; beyond it their result is
    /// constant.
    [[nodiscard]] double clip(double depth) const {
        return std::clamp(depth, low - bend_low, high + bend_high);
    }

    static constexpr double kUpperBend_m = 2000.0;
    static constexpr double kBendOfRange = 0.1;
    double low, high, bend_low, bend_high;
};

}  // namespace kaname::earth
