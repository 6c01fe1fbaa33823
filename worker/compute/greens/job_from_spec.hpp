// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "proto/spec/greens/load.hpp"
#include "solvers/jobs/spec/greens_job.hpp"

namespace kaname::compute {

/// The job that a specification asks for; `specification_json` is its canonical text.
///
/// Velocities become moduli: mu = rho vs^2, lambda = rho (vp^2 - 2 vs^2).
/// Throws InvalidArgument where the message is not self-consistent (a layer of an unknown material,
/// a fault without geometry, an unknown slip component).
[[nodiscard]] jobs::GreensJob job_from_spec(const spec::LoadedSpec& spec,
                                            std::string specification_json);

}  // namespace kaname::compute
