// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/fault/slip_model/placed_model.hpp"
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

/// Rupture times within the patches of a model that states them at the patches' centres. Where a
/// segment's patches form a grid they are bilinear between the centres, and go on along the same
/// lines where no patch that slips lies beyond, but never before the first patch breaks. Patches of
/// other segments break at once.
class RuptureTimes {
public:
    /// Both models have the same patches.
    RuptureTimes(const SlipModel& model, const PlacedModel& placed);

    /// Time [s] in the patch at (along, down), -1/2..1/2 of its length and width from its centre.
    /// The patch must slip and state a time.
    [[nodiscard]] double at(std::size_t patch, double along, double down) const;

private:
    using Around = std::array<std::array<double, 3>, 3>;  ///< [down][along], the patch's own inside

    std::vector<Around> around_s_;
    double first_s_ = 0.0;
};

/// Returns m (s n + n s) of unit vectors: the moment tensor (xx, yy, zz, yz, xz, xy) of slip along
/// s on a plane of normal n.
[[nodiscard]] std::array<double, 6> double_couple(double moment_nm, const Vec3& s, const Vec3& n);

/// Returns |M| / sqrt(2) of a moment tensor (xx, yy, zz, yz, xz, xy) in its unit: M0 of a double
/// couple.
[[nodiscard]] double scalar_moment(const std::array<double, 6>& moment);

}  // namespace kaname::slip_model
