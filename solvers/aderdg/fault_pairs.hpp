// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "solvers/aderdg/tet_topology.hpp"

namespace kaname::aderdg {

/// Marks the two tets of every fault face, where model.fault has laws. Throws ValidationError for
/// faces that are none between two tets, and those beside a liquid.
void attach_faults(const WaveModel& model, TetTopology& topology);

/// Gives both tets of every fault face one rank: the friction there needs both traces.
void keep_pairs_together(const TetTopology& topology, std::span<std::int32_t> rank_of_tet);

}  // namespace kaname::aderdg
