// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/fault/slip_model/placed_model.hpp"
#include "solvers/fault/slip_model/slip_model.hpp"
#include "solvers/source_time/time_function.hpp"

namespace kaname::slip_model {

/// A double couple of a rupture: its moment grows by moment_nm rate.moment_rate_at(t) per second,
/// t from the origin time.
struct KinematicPoint {
    Vec3 at_m;
    std::array<double, 6> moment_nm{};  ///< xx, yy, zz, yz, xz, xy; x east, y north, z up
    source_time::TimeFunction rate;
};

enum class RateShape {
    Yoffe,     ///< regularised, of smoothing 0.1 rise times: the peak at about 1/8 of the rise time
    Triangle,  ///< isosceles
    Cosine,    ///< (1 - cos) / 2
};

struct KinematicOptions {
    double spacing_m = 0.0;              ///< > 0: most between neighbouring points of a patch
    RateShape shape = RateShape::Yoffe;  ///< of patches without rates of their own
    /// Where a patch states none or 0, as published ones do here and there.
    std::optional<double> rise_time_s = {};
    /// Rupture times |x - hypocentre| / velocity in place of what patches state, and needed where
    /// one states none. Both or neither.
    std::optional<double> rupture_velocity_m_per_s = {};
    std::optional<Vec3> hypocentre_m = {};
};

/// The point sources of a rupture. A patch is divided evenly into points of equal area, no farther
/// apart than the spacing, whose rupture times lie on straight lines between those of the patches
/// beside it (where the segment's patches form a grid; else all have the patch's); the points of
/// Standard Rupture Format stay as they are. Each point has the rate of slip that the patch states
/// (one source per direction), else the shape over its rise time. Moments follow mu_pa at
/// the points, and add up to the patch's as seismic_moment(placed, mu_pa) counts it. Patches
/// without slip or rigidity give no points.
/// `placed` is `model` in the model frame. Throws InvalidArgument naming patch, value and rule: no
/// rise time or rupture time, opening (no double couple), more than 2,000,000 points.
[[nodiscard]] std::vector<KinematicPoint> kinematic_sources(
    const SlipModel& model, const PlacedModel& placed,
    const std::function<double(const Vec3& x)>& mu_pa, const KinematicOptions& options);

}  // namespace kaname::slip_model
