// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "solvers/earth/gridded_surface.hpp"
#include "solvers/earth/height_field.hpp"
#include "solvers/earth/plan_nodes.hpp"

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

/// Where a surface rests on its data: on the nodes of its grid, 1 where it does.
struct DataMask {
    HeightField::Grid grid;
    std::vector<unsigned char> known;  ///< [nv][nu]

    /// Returns true if all four nodes around a place rest on data; false outside of the grid.
    [[nodiscard]] bool at(double u, double v) const {
        const int i = static_cast<int>(std::floor(grid.column(u)));
        const int j = static_cast<int>(std::floor(grid.row(v)));
        if (i < 0 || j < 0 || i + 1 >= grid.nu || j + 1 >= grid.nv) {
            return false;
        }
        const auto node = [&](int column, int row) {
            return known[static_cast<std::size_t>(row) * grid.nu + column] != 0;
        };
        return node(i, j) && node(i + 1, j) && node(i, j + 1) && node(i + 1, j + 1);
    }
};

struct SurfaceShape {
    std::optional<DepthLimits> limits;
    double smoothing_m = 0.0;  ///< standard deviation of the Gaussian; 0: none
    /// Distance over which the slope dies out beyond the data; 0: the membrane through the data's
    /// edge, for rough surfaces.
    double slope_decay_m = kSlopeDecay_m;
};

struct LaidSurface {
    HeightField height{0.0};
    double extended_fraction = 0.0;  ///< part of the box's plan without data
    double limited_fraction = 0.0;   ///< part of it where the limits changed the data
    DataMask data;                   ///< where it is neither extended nor limited
};

/// Lays a surface's data on the nodes: gaps are extended (fill_smoothly), then all is smoothed and
/// limited. Throws InvalidArgument with both extents when the data do not overlap the box, or none
/// is inside.
[[nodiscard]] LaidSurface lay_on_plan(const GriddedSurface& data, const PlanNodes& nodes,
                                      const SurfaceShape& shape);

/// Smooths and limits heights at the nodes of a grid.
void shape_heights(const SurfaceShape& shape, const HeightField::Grid& grid,
                   std::vector<double>& z);

/// Surface `thickness_m` under `base` along its normal: the lower envelope of the balls of that
/// radius about the base's points,
///   z(u, v) = min over a^2 + b^2 <= T^2 of base(u + a, v + b) - sqrt(T^2 - a^2 - b^2),
/// which stays a height where the base bends more sharply than 1/T.
/// Returns values at the nodes of `grid`, [nv][nu].
[[nodiscard]] std::vector<double> heights_below(const HeightField& base, double thickness_m,
                                                const HeightField::Grid& grid);

}  // namespace kaname::earth
