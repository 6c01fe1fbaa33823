// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/earth/structure.hpp"

namespace kaname::viscoelastic {

/// One time step of the generalised trapezoidal rule in one material. Its deviatoric stress is the
/// sum of branches, a spring share_k mu and a dashpot each (relaxation.hpp), which all see the
/// strain e:
///   dS_k = share_k g_k 2 mu de - relax_k S_k,   g_k = 1 / (1 + alpha z_k),   relax_k = z_k g_k,
/// z_k = dt rate_k. Elastic and Maxwell: one branch; standard linear solid and Burgers: two.
struct MaterialStep {
    double share = 1.0;         ///< mu_v / mu = sum_k share_k g_k
    double relax = 0.0;         ///< relax_1
    double second_share = 0.0;  ///< share_2 g_2
    double second_relax = 0.0;  ///< relax_2
};
[[nodiscard]] MaterialStep material_step(const earth::Material& material, double dt_s,
                                         double alpha);
/// The step of the fully integrated volume strain with nodal dilatation (bulk_relaxation).
[[nodiscard]] MaterialStep bulk_step(const earth::Material& material, double dt_s, double alpha);

}  // namespace kaname::viscoelastic
