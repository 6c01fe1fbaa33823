// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/rupture/fault_faces.hpp"
#include "solvers/rupture/kernels/friction_step.hpp"

namespace kaname::rupture {

/// Returns the numbers of a step from t_s on that points need. Rates are taken to be linear in time
/// between the nodes, also from a step's last one to the next one's first.
[[nodiscard]] kernels::FrictionStep friction_step(const FaultRule& rule, const FaultSetup& setup,
                                                  double t_s, double dt_s);

}  // namespace kaname::rupture
