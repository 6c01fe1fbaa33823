// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>

#include "proto/request/greens/load.hpp"
#include "proto/request/greens/plan.hpp"
#include "worker/jobs/stage/greens_job.hpp"

namespace kaname::compute {

/// The events of a scenario whose defaults are filled.
[[nodiscard]] jobs::Scenario scenario_of(const v1::GreensBatch& batch, const request::Plan& plan);

/// The job that a request asks for; `specification_json` is its canonical text.
///
/// Velocities become moduli: mu = rho vs^2, lambda = rho (vp^2 - 2 vs^2).
/// Throws InvalidArgument where the message is not self-consistent (a layer of an unknown material,
/// a fault without geometry, an unknown slip component).
[[nodiscard]] jobs::GreensJob job_from_request(const request::LoadedBatch& loaded,
                                               std::string specification_json);

}  // namespace kaname::compute
