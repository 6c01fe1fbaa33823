// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>
#include <vector>

#include "solvers/voxelwave/voxel_model.hpp"

namespace kaname::voxelwave {

/// Rayleigh damping, C = alpha M + beta K.
struct Damping {
    double alpha_per_s = 0.0, beta_s = 0.0;
};

/// One step of central differences with the velocity of the damping taken backwards,
///   u+ = u + (1 - alpha dt)(u - u-) + dt^2 M^-1 (F - K (u + beta/dt (u - u-)))
/// (ichimura2024, eq. 19), as what multiplies at each node.
struct StepTerms {
    double dt_s = 0.0;
    double beta_per_dt = 0.0;          ///< beta/dt
    std::vector<double> dt2_per_mass;  ///< [nodes] s^2/kg; 0 where a node is fixed or amid voids
    /// 1 - alpha dt is `keep` less what a damping layer takes at the node's places along x, y, z.
    double keep = 1.0;
    std::array<std::vector<double>, 3> layer;  ///< [nodes along the axis]
};

/// A layer inside the box in which waves die out, of `width` voxels at each of the six sides that
/// has one (-x, +x, -y, +y, -z, +z): alpha grows with the square of the depth in it to
/// `alpha_per_s`.
struct DampingLayer {
    std::array<int, 6> width{};
    double alpha_per_s = 0.0;
};

/// fixed: nodes that do not move. Throws InvalidArgument for dt <= 0, a negative damping, a layer
/// wider than the model, or dt above largest_stable_dt (which it names).
[[nodiscard]] StepTerms step_terms(const VoxelModel& model, double dt_s, const Damping& damping,
                                   const DampingLayer& layer, std::span<const std::int64_t> fixed,
                                   bool orthogonal);

/// Largest stable dt [s]: with w the highest frequency of any voxel alone, which bounds that of the
/// model, w^2 dt^2 + 2 (alpha + beta w^2) dt <= 4. orthogonal: OVFEM's element, else VFEM's.
[[nodiscard]] double largest_stable_dt(const VoxelModel& model, const Damping& damping,
                                       const DampingLayer& layer, bool orthogonal);

/// Damping ratio as near as can be to `ratio` over a band: alpha/(2 w) + beta w/2, least squares
/// over w. Throws InvalidArgument unless 0 < from_hz < to_hz and ratio >= 0.
[[nodiscard]] Damping damping_of_band(double ratio, double from_hz, double to_hz);

}  // namespace kaname::voxelwave
