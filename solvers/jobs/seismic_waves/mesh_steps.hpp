// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "solvers/aderdg/wave_solver.hpp"

namespace kaname::jobs {

/// Returns the updates of tets per second of signal.
[[nodiscard]] double updates_per_s(const aderdg::Clusters& clusters);
/// Returns the gain of local time steps: the updates with one step for all tets over those of the
/// clusters.
[[nodiscard]] double gain_of(const aderdg::Clusters& clusters);

/// Returns the clusters of elements of which only the largest steps are known, `count` of each. The
/// smallest step is chosen as find_clusters() does, but neighbours may be more than one cluster
/// apart.
[[nodiscard]] aderdg::Clusters clusters_of_steps(std::span<const double> largest_s,
                                                 std::span<const double> count,
                                                 double least_wiggle);

}  // namespace kaname::jobs
