// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/element_energy.hpp"

namespace kaname::aderdg {

EnergyWeights EnergyWeights::of(const Solid& solid, double volume_m3) {
    const double velocity = 0.5 * volume_m3 * solid.density_kg_m3;
    if (solid.mu_pa == 0.0) {
        return {velocity, 0.0, 0.5 * volume_m3 / (9.0 * solid.lambda_pa)};
    }
    const double stress = 0.5 * volume_m3 / (2.0 * solid.mu_pa);
    return {velocity, stress,
            -stress * solid.lambda_pa / (3.0 * solid.lambda_pa + 2.0 * solid.mu_pa)};
}

ElementEnergy EnergyWeights::energy(const double* squares, std::size_t stride) const {
    const auto of = [&](int field) { return squares[static_cast<std::size_t>(field) * stride]; };
    return {
        velocity * of(Squares::kVelocity),
        stress * (of(Squares::kNormal) + 2.0 * of(Squares::kShear)) + trace * of(Squares::kTrace)};
}

}  // namespace kaname::aderdg
