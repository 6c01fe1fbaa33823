// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/inversion/eigen.hpp"

namespace kaname::posterior {

/// Correlation of slip on a fault: of which roughness and over which length.
struct Correlation {
    double roughness = 0.5;  ///< Matern's nu: 0.5 exponential, 1.5 once differentiable
    double length_m = 0.0;   ///< along strike; kDownDip of it across
};

/// Part of the length along strike over which slip is correlated down dip (Mai and Beroza 2002,
/// doi:10.1029/2001JB000588, find such ratios for ruptures).
inline constexpr double kDownDip = 0.7;

/// Twelve choices: roughness 0.5 and 1.5, each with six lengths spaced evenly in their logarithms
/// from half of the mean distance of a patch to its nearest one to half of the greatest extent
/// along strike. `centres` [patch] m, `strike` a unit vector. A single patch has one choice.
[[nodiscard]] std::vector<Correlation> correlation_choices(std::span<const Vec3> centres,
                                                           const Vec3& strike);

/// Matern (von Karman) correlation [patch][patch] of the distance r, in units of the length, with
///   r^2 = along^2 + (|apart|^2 - along^2) / kDownDip^2,
/// along the part of `apart` in the direction of strike: exp(-r) for roughness 0.5 and
/// (1 + sqrt(3) r) exp(-sqrt(3) r) for 1.5. r is a distance in space, so that the matrix is
/// positive definite for faults of any shape (Matern 1960; Mai and Beroza 2002).
[[nodiscard]] Eigen::MatrixXd matern(std::span<const Vec3> centres, const Vec3& strike,
                                     const Correlation& correlation);

/// Returns the horizontal unit vector along the mean strike: that of doubled angles, for which
/// strikes of 10 and 190 degrees are the same. Degrees clockwise from north; x is east, y north.
[[nodiscard]] Vec3 mean_strike(std::span<const double> strikes_deg);

}  // namespace kaname::posterior
