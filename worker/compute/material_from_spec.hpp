// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "proto/kaname/v1/greens.pb.h"
#include "solvers/jobs/spec/greens_job.hpp"

namespace kaname::compute {

/// mu = rho vs^2, lambda = rho (vp^2 - 2 vs^2) of velocities. Throws ValidationError naming `field`
/// where neither these nor moduli are complete.
[[nodiscard]] earth::Material material_of(const v1::Material& material, const std::string& field);

[[nodiscard]] earth::ViscosityRange range_of(const v1::ViscosityRange& range);

}  // namespace kaname::compute
