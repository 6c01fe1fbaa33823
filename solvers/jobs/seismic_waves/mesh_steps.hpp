// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "solvers/aderdg/wave_solver.hpp"

namespace kaname::jobs {

/// Updates of tets for a second of signal.
[[nodiscard]] double updates_per_s(const aderdg::Clusters& clusters);
/// The same with one step for all, over that.
[[nodiscard]] double gain_of(const aderdg::Clusters& clusters);

/// Clusters of elements of which only the largest steps are known, `count` of each; the smallest
/// step is chosen as find_clusters() does, but neighbours may be more than one cluster apart.
[[nodiscard]] aderdg::Clusters clusters_of_steps(std::span<const double> largest_s,
                                                 std::span<const double> count,
                                                 double least_wiggle);

/// What decides the steps of a mesh.
struct StepShapes {
    double least_insphere_per_edge = 0.0;  ///< diameter over longest edge; 0.408 in regular tets
    double min_dihedral_deg = 0.0, max_dihedral_deg = 0.0;
    /// Smallest, 0.1 %, 1 %, 50 % quantile and largest insphere diameter over vp [s].
    double least_s = 0.0, p001_s = 0.0, p01_s = 0.0, median_s = 0.0, most_s = 0.0;
    std::int64_t least_tet = 0;
};
[[nodiscard]] StepShapes measure_steps(const aderdg::WaveModel& model);

}  // namespace kaname::jobs
