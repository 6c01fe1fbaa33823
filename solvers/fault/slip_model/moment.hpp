// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "solvers/base/vec3.hpp"
#include "solvers/fault/slip_model/placed_model.hpp"

namespace kaname::slip_model {

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

}  // namespace kaname::slip_model
