// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "solvers/earth/projection.hpp"
#include "solvers/jobs/spec/greens_job.hpp"

namespace kaname::jobs {

/// The part of the region's plan that holds the fault, and stations where these have elements of
/// their own size: there surfaces are kept finest. nullopt where a scenario's models cannot be
/// read, which JobGeometry then tells.
[[nodiscard]] std::optional<earth::PlanWindow> plan_focus(
    const GreensJob& job, const std::optional<earth::Projection>& projection);

}  // namespace kaname::jobs
