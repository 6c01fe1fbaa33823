// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "solvers/aderdg/wave_setup.hpp"

namespace kaname::aderdg {

/// int (rho v.v + sigma : C^-1 : sigma)/2 over a tet [J]; q [modes][9], mass [modes][modes] of a
/// tet of volume 1.
[[nodiscard]] double element_energy_j(std::span<const double> q, std::span<const double> mass,
                                      const Solid& solid, double volume_m3);

}  // namespace kaname::aderdg
