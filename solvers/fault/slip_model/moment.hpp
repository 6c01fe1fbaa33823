// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "solvers/base/vec3.hpp"
#include "solvers/fault/slip_model/placed_model.hpp"
#include "solvers/fault/slip_model/slip_model.hpp"

namespace kaname::slip_model {

/// Sums over patches of area A and slip s (shear only; opening is not counted).
struct MomentSum {
    double moment_nm = 0.0;   ///< sum mu A s
    double potency_m3 = 0.0;  ///< sum A s
    double area_m2 = 0.0;     ///< sum A
    double max_slip_m = 0.0;

    /// (log10 M0 - 9.1) / 1.5 (Hanks and Kanamori 1979 in SI); minus infinity without moment.
    [[nodiscard]] double mw() const;
    [[nodiscard]] double mean_slip_m() const { return area_m2 > 0.0 ? potency_m3 / area_m2 : 0.0; }
};
[[nodiscard]] double moment_magnitude(double moment_nm);
/// The other way round.
[[nodiscard]] double moment_of_magnitude(double magnitude);

/// mu_pa(depth_m) is averaged down each patch (midpoint rule), so a patch across a layer boundary
/// counts both layers. Throws InvalidArgument naming patch and depth when mu is negative or not
/// finite.
[[nodiscard]] MomentSum seismic_moment(const SlipModel& model,
                                       const std::function<double(double depth_m)>& mu_pa);
/// Moment of one patch [N m], with mu averaged down it as above. Throws as above.
[[nodiscard]] double patch_moment(const PlacedPatch& patch,
                                  const std::function<double(const Vec3& x)>& mu_pa);
/// Moment of a placed model, with mu at a point of the model frame. Throws as above.
[[nodiscard]] MomentSum seismic_moment(const PlacedModel& model,
                                       const std::function<double(const Vec3& x)>& mu_pa);

}  // namespace kaname::slip_model
