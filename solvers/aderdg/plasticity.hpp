// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/aderdg/tet_topology.hpp"

namespace kaname::aderdg {

/// YieldTerms of a tet, [YieldTerms::kSize]; a liquid never yields.
[[nodiscard]] std::vector<double> yield_terms(const WaveModel& model, const TetTopology& topology,
                                              std::int64_t tet);

/// 1 - exp(-dt/T_v): the part of a stress beyond the strength that relaxes in a step.
[[nodiscard]] double relaxing_part(const WaveModel& model, double step_s);

/// Throws ValidationError for the first place where cohesion or friction is below 0, or where
/// anything is not finite.
void check_plasticity(const WaveModel& model);

/// Returns the memory that plasticity adds to solver_bytes() [B].
[[nodiscard]] double plasticity_bytes(std::int64_t elements, Precision precision);

/// Volume [m3] of the tets that yield before any wave comes, at one of their vertices at least:
/// there the initial stress relaxes by itself, which is rarely meant.
[[nodiscard]] double yielding_volume_m3(const WaveModel& model);

}  // namespace kaname::aderdg
