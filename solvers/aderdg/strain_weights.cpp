// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/strain_weights.hpp"

#include <array>
#include <cstddef>

namespace kaname::aderdg {
namespace {

/// Place of strain xx, yy, zz, yz, xz, xy among stresses xx, yy, zz, xy, yz, xz.
constexpr std::array<std::size_t, 6> kStress = {0, 1, 2, 4, 5, 3};

}  // namespace

std::vector<double> strain_weights(const Solid& solid) {
    double lambda_pa = solid.lambda_pa, mu_pa = solid.mu_pa;
    for (const Solid::Mechanism& m : solid.mechanisms) {
        lambda_pa -= m.lambda_pa;
        mu_pa -= m.mu_pa;
    }
    // C^-1 : s = s/(2 mu) - lambda/(2 mu (3 lambda + 2 mu)) tr s
    const double per_stress = 0.5 / mu_pa;
    const double per_trace = -lambda_pa / (2.0 * mu_pa * (3.0 * lambda_pa + 2.0 * mu_pa));
    const std::size_t width = 9 + 6 * solid.mechanisms.size();
    std::vector<double> weights(6 * width);
    for (std::size_t row = 0; row < 6; ++row) {
        double* to = weights.data() + row * width;
        to[kStress[row]] = per_stress;
        for (std::size_t c = 0; c < 3 && row < 3; ++c) {
            to[c] += per_trace;
        }
        for (std::size_t l = 0; l < solid.mechanisms.size(); ++l) {
            // C^-1 : C_l : theta, whose trace is scaled by the ratio of the bulk moduli.
            const Solid::Mechanism& m = solid.mechanisms[l];
            const double sheared = 2.0 * m.mu_pa * per_stress;
            const double traced =
                m.lambda_pa * per_stress + (3.0 * m.lambda_pa + 2.0 * m.mu_pa) * per_trace;
            double* theta = to + 9 + 6 * l;
            theta[kStress[row]] -= sheared / m.omega_per_s;
            for (std::size_t c = 0; c < 3 && row < 3; ++c) {
                theta[c] -= traced / m.omega_per_s;
            }
        }
    }
    return weights;
}

}  // namespace kaname::aderdg
