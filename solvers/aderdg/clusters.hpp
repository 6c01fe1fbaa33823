// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/aderdg/tet_topology.hpp"
#include "solvers/aderdg/wave_setup.hpp"

namespace kaname::aderdg {

/// Which cluster every tet advances with, and the smallest step.
struct Clustering {
    std::vector<std::uint8_t> cluster;  ///< [E]
    int n_clusters = 1;
    double step_s = 0.0;  ///< of cluster 0; that of c is 2^c times as long
    std::int64_t macro_steps = 0;
};

/// Part of insphere diameter/((2 N + 1) vp) that a step may take, where params.cfl is 0.
[[nodiscard]] double default_cfl(int order);

/// Longest step in which memory variables of this relaxation frequency decay [s]: the predictor is
/// a Taylor series of theta' = -omega theta, which at order 2 grows from omega dt = 2 on, at higher
/// orders from 2.5 to 3.9 on.
[[nodiscard]] double relaxation_step_s(double omega_per_s);

/// The lesser of params.longest_step_s and cfl * insphere diameter / ((2 N + 1) vp) [s],
/// N = order - 1.
[[nodiscard]] double largest_step_s(double insphere_diameter_m, double vp_m_per_s,
                                    const WaveParams& params);

/// Largest step of each tet [s], within relaxation_step_s of its mechanisms.
[[nodiscard]] std::vector<double> largest_steps(const WaveModel& model, const TetTopology& topology,
                                                const WaveParams& params);

/// Clusters of rate 2, neighbours at most one apart, for which the count of updates until end_s is
/// least among smallest steps from `least_wiggle` times the largest one possible; end_s is a whole
/// number of macro steps.
[[nodiscard]] Clustering cluster(std::span<const double> largest_s, const TetTopology& topology,
                                 const WaveParams& params);

}  // namespace kaname::aderdg
