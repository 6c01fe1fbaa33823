// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "solvers/aderdg/block_points.hpp"

namespace kaname::aderdg {

/// WaveSolver::given_energy_j of each lane [J], from the point sources that ranks have and from the
/// model's faults. Collective.
[[nodiscard]] std::vector<double> given_energies_j(const WaveModel& model,
                                                   const TetTopology& topology,
                                                   const Layout& layout,
                                                   std::span<const BlockSource> own,
                                                   const WaveParams& params, comm::Comm& comm);

}  // namespace kaname::aderdg
