// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/jobs/spec/choices.hpp"
#include "solvers/viscoelastic/model/stiffness.hpp"

namespace kaname::jobs {

/// How a job's systems are solved. multistep2018 has a solver of its own, of the seed's kind with
/// one loop less (viscoelastic/stepping/multistep_solver.hpp).
[[nodiscard]] inline viscoelastic::Method method_of(SolverMethod method) {
    using viscoelastic::Method;
    return method == SolverMethod::Default ? Method::Default
           : method == SolverMethod::Pcge  ? Method::Pcge
                                           : Method::Seed;
}

}  // namespace kaname::jobs
