// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "solvers/aderdg/wave_setup.hpp"

namespace kaname::aderdg {

/// int rho v.v/2 and int sigma : C^-1 : sigma/2 over a tet.
struct ElementEnergy {
    double kinetic_j = 0.0, elastic_j = 0.0;
};

/// q [modes][9], mass [modes][modes] of a tet of volume 1.
[[nodiscard]] ElementEnergy element_energy(std::span<const double> q, std::span<const double> mass,
                                           const Solid& solid, double volume_m3);

}  // namespace kaname::aderdg
