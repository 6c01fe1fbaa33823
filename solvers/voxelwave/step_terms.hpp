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

/// One step of central differences (ichimura2024, eq. 19), with the velocity in alpha's damping
/// central, too, and in beta's backwards:
///   u+ = u + k (u - u-) + (1 + k)/2 dt^2 M^-1 (F - K (u + beta/dt (u - u-))),
///   k = (1 - alpha dt/2) / (1 + alpha dt/2),
/// as what multiplies at each node. Where damping layers add to alpha, k is a product of factors of
/// the node's places along x, y and z.
struct StepTerms {
    double dt_s = 0.0;
    double beta_per_dt = 0.0;          ///< beta/dt
    std::vector<double> dt2_per_mass;  ///< [nodes] (1 + k)/2 dt^2/m in s^2/kg; 0 where a node is
                                       ///< fixed or amid voids
    std::array<std::vector<double>, 3> keep;  ///< [nodes along the axis] factors of k

    [[nodiscard]] double kept(int x, int y, int z) const {
        return keep[0][x] * keep[1][y] * keep[2][z];
    }
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
/// model, w^2 (dt^2 + 2 beta dt) <= 4, whatever alpha is. orthogonal: OVFEM's element, else VFEM's.
[[nodiscard]] double largest_stable_dt(const VoxelModel& model, const Damping& damping,
                                       bool orthogonal);

/// Damping ratio as near as can be to `ratio` over a band: alpha/(2 w) + beta w/2, least squares
/// over w. Throws InvalidArgument unless 0 < from_hz < to_hz and ratio >= 0.
[[nodiscard]] Damping damping_of_band(double ratio, double from_hz, double to_hz);

}  // namespace kaname::voxelwave
