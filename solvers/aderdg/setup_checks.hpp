// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/aderdg/tet_topology.hpp"
#include "solvers/aderdg/wave_solver.hpp"

namespace kaname::aderdg {

/// Throws ValidationError with everything that is wrong with what a solver is given; topology of
/// the model.
void check_setup(const WaveModel& model, const WaveParams& params);
void check_points(const WaveModel& model, const TetTopology& topology, const WaveParams& params,
                  const WavePoints& points);

}  // namespace kaname::aderdg
