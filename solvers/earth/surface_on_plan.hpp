// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "solvers/earth/data_mask.hpp"
#include "solvers/earth/depth_limits.hpp"
#include "solvers/earth/gridded_surface.hpp"
#include "solvers/earth/height_field.hpp"
#include "solvers/earth/plan_nodes.hpp"

namespace kaname::earth {

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
