// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/element_energy.hpp"

#include <array>
#include <cmath>

namespace kaname::aderdg {

ElementEnergy element_energy(std::span<const double> q, std::span<const double> mass,
                             const Solid& solid, double volume_m3) {
    const auto modes = static_cast<std::size_t>(std::lround(std::sqrt(double(mass.size()))));
    // products[a][b] = q_a . M q_b
    std::array<std::array<double, 9>, 9> products{};
    for (std::size_t i = 0; i < modes; ++i) {
        std::array<double, 9> mq{};
        for (std::size_t j = 0; j < modes; ++j) {
            for (std::size_t b = 0; b < 9; ++b) {
                mq[b] += mass[i * modes + j] * q[9 * j + b];
            }
        }
        for (std::size_t a = 0; a < 9; ++a) {
            for (std::size_t b = 0; b < 9; ++b) {
                products[a][b] += q[9 * i + a] * mq[b];
            }
        }
    }
    double squares = 0.0, shears = 0.0, trace = 0.0, velocity = 0.0;
    for (std::size_t a = 0; a < 3; ++a) {
        squares += products[a][a];
        shears += products[3 + a][3 + a];
        velocity += products[6 + a][6 + a];
        for (std::size_t b = 0; b < 3; ++b) {
            trace += products[a][b];
        }
    }
    // C^-1 : s = s/(2 mu) - lambda/(2 mu (3 lambda + 2 mu)) tr s; of a liquid p^2/lambda.
    const double elastic =
        solid.mu_pa > 0.0
            ? (squares + 2.0 * shears -
               solid.lambda_pa * trace / (3.0 * solid.lambda_pa + 2.0 * solid.mu_pa)) /
                  (2.0 * solid.mu_pa)
            : trace / (9.0 * solid.lambda_pa);
    return {0.5 * volume_m3 * solid.density_kg_m3 * velocity, 0.5 * volume_m3 * elastic};
}

}  // namespace kaname::aderdg
