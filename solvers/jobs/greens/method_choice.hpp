// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/jobs/spec/choices.hpp"
#include "solvers/viscoelastic/model/stiffness.hpp"

namespace kaname::jobs {

/// How a job's systems are solved. multistep2018 takes its steps otherwise
/// (viscoelastic/stepping/multistep_solver.hpp), but solves with the seed's loops.
[[nodiscard]] inline viscoelastic::Method method_of(SolverMethod method) {
    using viscoelastic::Method;
    return method == SolverMethod::Default ? Method::Default
           : method == SolverMethod::Pcge  ? Method::Pcge
                                           : Method::Seed;
}

}  // namespace kaname::jobs
