// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/fault/slip_model/slip_model.hpp"

namespace kaname::slip_model {

/// A patch in the model frame (x east, y north, z up, metres).
struct PlacedPatch {
    std::string id;
    int segment = 0;
    Vec3 centre;
    double length_m = 0.0;
    double width_m = 0.0;
    double strike_rad = 0.0;  ///< grid azimuth: true strike + meridian convergence
    double dip_rad = 0.0;
    Vec3 slip_m;  ///< displacement of the hanging wall relative to the footwall, with opening

    [[nodiscard]] double area_m2() const { return length_m * width_m; }
    [[nodiscard]] Vec3 along_strike() const;  ///< unit
    [[nodiscard]] Vec3 down_dip() const;      ///< unit
    [[nodiscard]] Vec3 normal() const;        ///< unit, into the hanging wall
};

struct PlacedSegment {
    double strike_rad = 0.0;  ///< grid azimuth
    double dip_rad = 0.0;
};

struct PlacedModel {
    std::vector<PlacedPatch> patches;
    std::vector<PlacedSegment> segments;
};

/// Where a patch's centre is in the model frame, and what turns its strike into a grid azimuth.
struct PatchSpot {
    Vec3 centre;
    double convergence_rad = 0.0;
};
[[nodiscard]] PlacedModel place(const SlipModel& model,
                                const std::function<PatchSpot(const SlipPatch& patch)>& spot_of);

/// A model in a local frame, whose origin lies at `origin` of the model frame and whose north is
/// grid north. Throws InvalidArgument for a model in longitude and latitude.
[[nodiscard]] PlacedModel place(const SlipModel& model, const Vec3& origin);

/// Sums over patches of area A and slip s (shear only; opening is not counted).
struct MomentSum {
    double moment_nm = 0.0;   ///< sum mu A s
    double potency_m3 = 0.0;  ///< sum A s
    double area_m2 = 0.0;     ///< sum A
    double max_slip_m = 0.0;

    /// (log10 M0 - 9.1) / 1.5 (Hanks and Kanamori 1979 in SI); minus infinity without moment.
    [[nodiscard]] double mw() const;
};
[[nodiscard]] double moment_magnitude(double moment_nm);
/// The other way round.
[[nodiscard]] double moment_of_magnitude(double magnitude);

/// Moment of one patch [N m]. mu_pa(x) is averaged down it (midpoint rule), so a patch across a
/// layer boundary counts both layers. Throws InvalidArgument naming the patch when mu is negative
/// or not finite.
[[nodiscard]] double patch_moment(const PlacedPatch& patch,
                                  const std::function<double(const Vec3& x)>& mu_pa);
/// The sums over a model. Throws as above.
[[nodiscard]] MomentSum seismic_moment(const PlacedModel& model,
                                       const std::function<double(const Vec3& x)>& mu_pa);

/// Why `patch` does not lie in the plane of `first`: how far off it is [m], how far it is turned
/// [deg], and what is allowed. Empty when it lies there.
[[nodiscard]] std::string off_plane(const PlacedPatch& first, const PlacedPatch& patch);

}  // namespace kaname::slip_model
