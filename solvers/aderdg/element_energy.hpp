// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/aderdg/kernels/squares_body.hpp"
#include "solvers/aderdg/wave_setup.hpp"

namespace kaname::aderdg {

/// int rho v.v/2 and int sigma : C^-1 : sigma/2 over a tet.
struct ElementEnergy {
    double kinetic_j = 0.0, elastic_j = 0.0;
};

/// Holds the weights of an element's Squares in its energies:
///   C^-1 : s = s/(2 mu) - lambda/(2 mu (3 lambda + 2 mu)) tr s; of a liquid p^2/lambda.
struct EnergyWeights {
    double velocity = 0.0, stress = 0.0, trace = 0.0;

    [[nodiscard]] static EnergyWeights of(const Solid& solid, double volume_m3);
    /// Squares::kFields numbers, each `stride` after the one before.
    [[nodiscard]] ElementEnergy energy(const double* squares, std::size_t stride) const;
};

}  // namespace kaname::aderdg
