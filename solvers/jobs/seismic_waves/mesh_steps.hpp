// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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

}  // namespace kaname::jobs
