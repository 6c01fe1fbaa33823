// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <vector>

namespace kaname::jobs {

/// A basis of the stresses that a body of one isotropic rock without body forces can have and that
/// are polynomials of the place:
///   div S = 0,   S = grad v + (grad v)^T + p 1
/// with p = (lambda / mu) div v in elastic rock, and p any field where the rock has relaxed: its
/// deviator then comes of another motion v than its pressure, each a sum over the past.
struct StressPolynomials {
    std::vector<std::array<int, 3>> powers;  ///< [M] of x, y, z; the first is 0, 0, 0
    int n_modes = 0;
    std::vector<double> modes;  ///< [n_modes][6][M] xx yy zz xy yz xz; orthonormal

    /// Coefficient of a power in a component of a mode.
    [[nodiscard]] const double* of(int mode, int component) const {
        return modes.data() + (std::size_t(mode) * 6 + std::size_t(component)) * powers.size();
    }
};
/// Up to `degree` (of the stress) >= 0; nullopt: relaxed rock.
[[nodiscard]] StressPolynomials stress_polynomials(int degree,
                                                   std::optional<double> lambda_over_mu);

}  // namespace kaname::jobs
