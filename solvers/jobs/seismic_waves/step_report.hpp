// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "solvers/aderdg/wave_setup.hpp"

namespace kaname::jobs {

/// Largest stable step of a tet of degree N = order - 1 [s]:
///   cfl * diameter of its inscribed sphere / ((2 N + 1) vp)
/// (Dumbser and Kaeser 2006, Geophys. J. Int. 167, 319-336).
[[nodiscard]] double step_of(double insphere_diameter_m, double vp_m_per_s, int order, double cfl);

/// Steps of local time stepping: cluster c takes tets whose largest step is within 2^c and 2^(c+1)
/// of the smallest.
struct StepReport {
    double dt_min_s = 0.0;
    std::vector<std::int64_t> per_cluster;  ///< tets
    double updates_per_s = 0.0;             ///< updates of tets for a second of signal
    /// Of a single step for all, over that.
    [[nodiscard]] double gain() const;
};

/// Clusters of the steps of tets; `count` of each, 1 without.
[[nodiscard]] StepReport report_steps(std::span<const double> dt_s,
                                      std::span<const double> count = {});

/// The same for a mesh, with tets that share a face at most one cluster apart.
[[nodiscard]] StepReport report_steps(const aderdg::WaveModel& model, int order, double cfl);

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
